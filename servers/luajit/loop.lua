-- loop: the event loop of 2011: poll(2) over one array of descriptors of fixed size, a callback for
-- each. What is added behind a full array is refused, which is how the original lost its clients.
local S = require "syscall"

local POLLIN = S.c.POLL.IN
local WAIT_MS = 1000 -- of each poll, as in 2011

local loop = {}
loop.__index = loop

-- A loop for at most `size` sockets, listeners included.
function loop.new(size)
  return setmetatable({size = size, n = 0, polled = S.t.pollfds(size), sockets = {}, callbacks = {},
                       running = false}, loop)
end

-- Calls on_input(socket) when there is something to receive. The loop keeps the socket open.
-- Returns true, or nil when the array is full: the socket is still the caller's.
function loop:add(socket, on_input)
  if self.n == self.size then return nil end
  local slot = self.polled.pfd[self.n]
  slot.fd, slot.events, slot.revents = socket:getfd(), POLLIN, 0
  self.n = self.n + 1
  self.sockets[self.n], self.callbacks[self.n] = socket, on_input
  return true
end

-- Closes a socket of the loop. All behind it move up by one: the cost grows with their number.
function loop:drop(at)
  local pfd = self.polled.pfd
  self.sockets[at]:close()
  table.remove(self.sockets, at)
  table.remove(self.callbacks, at)
  for i = at - 1, self.n - 2 do
    pfd[i].fd, pfd[i].events, pfd[i].revents = pfd[i + 1].fd, pfd[i + 1].events, pfd[i + 1].revents
  end
  self.n = self.n - 1
end

-- Backwards: what a callback drops, or adds at the end, doesn't move what is still to be looked at.
local function call_ready(self)
  local pfd = self.polled.pfd
  for at = self.n, 1, -1 do
    if pfd[at - 1].revents ~= 0 and self.callbacks[at](self.sockets[at]) == "drop" then
      self:drop(at)
    end
  end
end

-- Until stop() or an error of poll, which is returned. A callback that returns "drop" has done with
-- its socket.
function loop:run()
  self.running = true
  while self.running do
    self.polled.count = self.n
    local ready, err = S.poll(self.polled, WAIT_MS)
    if not ready and not err.INTR then return nil, err end
    if ready and ready > 0 then call_ready(self) end
  end
  return true
end

function loop:stop()
  self.running = false
end

return loop
