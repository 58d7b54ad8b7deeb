-- parser: runs the state tables that convert.lua made of a grammar over a string, as the original did:
-- each character is looked up among its state's ranges by binary search, and what a transition asks
-- for is done with the character's position. It keeps no state between two calls.
local bit = require "bit"
local ffi = require "ffi"

local parser = {}

-- C arrays that count from 1 as the tables do.
local function array(list)
  local a = ffi.new("uint16_t[?]", #list + 1)
  for i, value in ipairs(list) do a[i] = value end
  return a
end

-- Returns run(text, actions): goes through text from the start state until actions.done is asked for
-- or no transition is left. actions is a table of functions (position) -> nothing by the names of the
-- grammar. Returns "done" and the length of what was read; "more" when text ended too early; "bad"
-- and the position of the character that the grammar doesn't allow.
function parser.new(tables)
  local first, low, high = array(tables.first), array(tables.low), array(tables.high)
  local target, action = array(tables.target), array(tables.action)

  local function find(state, byte)
    local from, to = first[state], first[state + 1] - 1
    while from <= to do
      local middle = bit.rshift(from + to, 1)
      if byte < low[middle] then
        to = middle - 1
      elseif byte > high[middle] then
        from = middle + 1
      else
        return middle
      end
    end
  end

  return function(text, actions)
    local state = tables.start
    for at = 1, #text do
      local k = find(state, text:byte(at))
      if not k then return "bad", at end
      state = target[k]
      if action[k] > 0 then
        for _, id in ipairs(tables.lists[action[k]]) do
          local name = tables.names[id]
          if name == "done" then return "done", at end
          actions[name](at)
        end
      end
    end
    return "more"
  end
end

-- Returns parse(text): a request {method, target, version, fields = {lower-case name = value, or a
-- list of values where the name came more than once}, length}, or nil and "more" or "bad".
function parser.of_requests(tables)
  local run = parser.new(tables)
  local text, request, from, name, value
  local actions = {
    mark = function(at) from = at end,
    method = function(at) request.method = text:sub(from, at - 1) end,
    target = function(at) request.target = text:sub(from, at - 1) end,
    version = function(at) request.version = text:sub(from, at - 1) end,
    name = function(at) name = text:sub(from, at - 1):lower() end,
    blank = function() value = "" end,
    value = function(at) value = text:sub(from, at - 1) end,
    field = function()
      local before = request.fields[name]
      if not before then
        request.fields[name] = value
      elseif type(before) == "table" then
        before[#before + 1] = value
      else
        request.fields[name] = {before, value}
      end
    end,
  }
  return function(given)
    text, request = given, {fields = {}}
    local outcome, at = run(given, actions)
    if outcome ~= "done" then return nil, outcome end
    request.length = at
    return request
  end
end

return parser
