-- convert: state tables for parser.lua out of Ragel's XML (ragel -x), from standard input to standard
-- output. Used when the grammar changes, not when a server starts.
local convert = {}

local function attribute(text, name)
  return text:match("%f[%w_]" .. name .. '="([^"]*)"')
end

local function numbers(text)
  local list = {}
  for word in text:gmatch("%S+") do list[#list + 1] = tonumber(word) end
  return list
end

local function read_actions(xml)
  local names, lists = {}, {}
  for open in xml:gmatch("<action (.-)>") do
    names[tonumber(attribute(open, "id")) + 1] = attribute(open, "name")
  end
  for open, text in xml:gmatch("<action_table (.-)>(.-)</action_table>") do
    lists[tonumber(attribute(open, "id")) + 1] = numbers(text)
  end
  return names, lists
end

-- One "LOW HIGH TARGET ACTIONS" of Ragel's; x is none: no target is the error, no actions nothing.
local function read_transition(text)
  local low, high, target, actions = text:match("^(%d+) (%d+) (%w+) (%w+)$")
  assert(low, "not a transition: " .. text)
  return {low = tonumber(low), high = tonumber(high), target = tonumber(target),
          actions = tonumber(actions)}
end

local function read_states(xml)
  local states = {}
  for open, body in xml:gmatch("<state (.-)>(.-)</state>") do
    local state = {final = attribute(open, "final") == "t"}
    for text in body:gmatch("<t>(.-)</t>") do
      local t = read_transition(text)
      if t.target then state[#state + 1] = t end
    end
    table.sort(state, function(a, b) return a.low < b.low end)
    states[tonumber(attribute(open, "id"))] = state
  end
  return states
end

-- The tables: transition k of all is for characters low[k] to high[k] in the state s with
-- first[s] <= k < first[s + 1], sorted; it leads to target[k] after doing lists[action[k]] (0: none),
-- which names names. All count from 1; state numbers are Ragel's plus 1.
function convert.tables(xml)
  local names, lists = read_actions(xml)
  local states = read_states(xml)
  local t = {names = names, lists = {}, first = {}, low = {}, high = {}, target = {}, action = {}}
  local start = assert(xml:match("<start_state>(%d+)</start_state>"), "no start state: not Ragel's XML")
  t.start = tonumber(start) + 1
  for i, list in ipairs(lists) do
    t.lists[i] = {}
    for k, id in ipairs(list) do t.lists[i][k] = id + 1 end
  end
  for id = 0, #states do
    t.first[id + 1] = #t.low + 1
    for _, transition in ipairs(states[id]) do
      local k = #t.low + 1
      t.low[k], t.high[k] = transition.low, transition.high
      t.target[k] = transition.target + 1
      t.action[k] = transition.actions and transition.actions + 1 or 0
    end
  end
  t.first[#states + 2] = #t.low + 1
  return t
end

local function wrap(list)
  local lines, line = {}, ""
  for _, value in ipairs(list) do
    local text = tostring(value) .. ","
    if #line + #text > 96 then
      lines[#lines + 1], line = line, ""
    end
    line = line .. (line == "" and "    " or " ") .. text
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

local function quoted(list)
  local out = {}
  for i, text in ipairs(list) do out[i] = '"' .. text .. '"' end
  return out
end

-- The tables as Lua source.
function convert.source(t)
  local out = {"-- Made of request.rl by convert.lua: see there. Don't edit.", "return {",
               "  start = " .. t.start .. ",", "  names = {", wrap(quoted(t.names)), "  },", "  lists = {"}
  for _, list in ipairs(t.lists) do
    out[#out + 1] = "    {" .. table.concat(list, ", ") .. "},"
  end
  out[#out + 1] = "  },"
  for _, name in ipairs {"first", "low", "high", "target", "action"} do
    out[#out + 1] = "  " .. name .. " = {\n" .. wrap(t[name]) .. "\n  },"
  end
  out[#out + 1] = "}"
  return table.concat(out, "\n") .. "\n"
end

if arg and arg[0] and arg[0]:match("convert%.lua$") then
  io.write(convert.source(convert.tables(io.read("*a"))))
end

return convert
