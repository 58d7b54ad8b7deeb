-- serve: the server of 2011: one process, one poll loop, blocking sockets. One receive is one request,
-- which gets one answer, and the connection is closed. Without --parser nobody looks at the request.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path

local found, S = pcall(require, "syscall")
if not found then
  io.stderr:write("luajit: there is no ljsyscall (package lua-ljsyscall): " .. S:match("[^\n]*") .. "\n")
  os.exit(1)
end
local loop = require "loop"
local options = require "options"

local RECEIVE_SIZE = 32768
local JSON = '{"build":"release","count":42,"ok":true,"service":"lean-tea/bench","tags":["bench","lean"]}'

local function say(...)
  io.stderr:write("luajit: ", string.format(...), "\n")
end

local function fail(code, ...)
  say(...)
  os.exit(code)
end

local function answer(status, kind, body, more)
  return string.format("HTTP/1.0 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n%s\r\n%s",
                       status, kind, #body, more or "", body)
end

local OK = answer("200 OK", "text/plain", "OK")
local AS_JSON = answer("200 OK", "application/json", JSON)
local BAD = answer("400 Bad Request", "text/plain", "400 Bad Request\n")
local NOT_FOUND = answer("404 Not Found", "text/plain", "404 Not Found\n")
local NOT_ALLOWED = answer("405 Method Not Allowed", "text/plain", "405 Method Not Allowed\n", "Allow: GET, HEAD\r\n")
-- 55 bytes, lines ended by LF alone: what was measured in 2011.
local OF_2011 = "HTTP/1.0 200 OK\nContent-Type: text/plain\n\nThis is test\n"

-- The answer's bytes, up to and without its body for HEAD.
local function for_method(request, bytes)
  return request.method == "HEAD" and bytes:match("^.-\r\n\r\n") or bytes
end

local function answer_of(request)
  local path = request.target:gsub("%?.*$", "")
  local bytes = path == "/health" and OK or path == "/json" and AS_JSON
  if not bytes then return for_method(request, NOT_FOUND) end
  if request.method ~= "GET" and request.method ~= "HEAD" then return NOT_ALLOWED end
  return for_method(request, bytes)
end

-- How a request (a buffer and its length) is answered: a function (socket, buffer, n).
local function answerer(o)
  local function send(socket, bytes) socket:send(bytes, #bytes, "nosignal") end
  local plain = o.reply == "2011" and OF_2011 or OK
  if not o.parser then
    return function(socket) send(socket, plain) end
  end
  local ffi = require "ffi"
  local tables, err = loadfile(o.parser)
  if not tables then fail(1, "--parser: %s", err) end
  local parse = require("parser").of_requests(tables())
  return function(socket, buffer, n)
    local request = parse(ffi.string(buffer, n))
    if not request then
      send(socket, BAD)
    elseif o.reply == "2011" then -- three sends, as it was
      send(socket, OF_2011)
      send(socket, request.method .. " ")
      send(socket, request.target .. " ")
    else
      send(socket, answer_of(request))
    end
  end
end

local function check(what, ...)
  local result, err = ...
  if not result then fail(1, "%s: %s", what, tostring(err)) end
  return result
end

local function open_listener(o)
  local good, address = pcall(S.t.sockaddr_in, o.port, o.host)
  if not good or not address then fail(1, "--host: '%s' is no IPv4 address", o.host) end
  local listener = check("socket", S.socket("inet", "stream, cloexec"))
  check("SO_REUSEADDR", listener:setsockopt("socket", "reuseaddr", true))
  check(string.format("can't listen on %s port %d", o.host, o.port), listener:bind(address))
  check("listen", listener:listen(o.backlog))
  return listener
end

-- uid and gid of a user by /etc/passwd.
local function ids_of(user)
  for line in io.lines("/etc/passwd") do
    local name, uid, gid = line:match("^([^:]*):[^:]*:(%d+):(%d+):")
    if name == user then return tonumber(uid), tonumber(gid) end
  end
end

local function drop_root(user)
  if S.geteuid() ~= 0 or user == "root" then return end
  local uid, gid = ids_of(user)
  if not uid then fail(1, "--user: there is no user '%s'", user) end
  check("setgroups", S.setgroups({}))
  check("setgid", S.setgid(gid))
  check("setuid", S.setuid(uid))
end

local function raise_descriptor_limit(wanted)
  local limit = S.getrlimit("nofile")
  limit.cur = limit.max
  S.setrlimit("nofile", limit)
  if tonumber(limit.max) < wanted then
    fail(1, "--table: %d places, but only %d descriptors (raise ulimit -n)", wanted, tonumber(limit.max))
  end
end

-- In 2011 a datagram to a second socket ended the loop; a descriptor for SIGTERM and SIGINT has its
-- place in the array.
local function open_signals()
  check("sigprocmask", S.sigprocmask("block", "term, int"))
  return check("signalfd", S.signalfd("term, int", "cloexec"))
end

local function serve(o)
  local answer_one = answerer(o)
  local buffer = S.t.buffer(RECEIVE_SIZE)
  local listener, signals = open_listener(o), open_signals()
  local all, refused = loop.new(o.table), 0
  raise_descriptor_limit(o.table)
  drop_root(o.user)

  local function on_input(socket)
    local n = socket:recv(buffer, RECEIVE_SIZE)
    if n and n > 0 then answer_one(socket, buffer, n) end
    return "drop"
  end
  -- One client for each time that poll tells of the listener.
  local function on_client()
    local socket = listener:accept()
    if socket and not all:add(socket, on_input) then
      refused = refused + 1
      if refused == 1 then say("Can not add fd! All %d places are taken; see --table", o.table) end
      socket:close()
    end
  end
  assert(all:add(listener, on_client) and all:add(signals, function() all:stop() end))
  say("listening on %s port %d, 1 worker, engine poll of %d", o.host, listener:getsockname().port, o.table)
  check("poll", all:run())
  if refused > 0 then say("%d clients were refused: all %d places were taken", refused, o.table) end
end

local o, err = options.parse(arg)
if not o then
  fail(2, "%s", err)
elseif o.help then
  io.write(options.help())
elseif o.version then
  io.write("luajit 0.1.0 engine poll on ", jit.version, "\n")
else
  serve(o)
end
