#!/usr/bin/env luajit
-- request: the tables that convert.lua makes of Ragel's XML, and the parser that runs them.
local folder = arg[0]:match("^(.*)/[^/]*$") or "."
local home = folder .. "/../luajit/"
package.path = home .. "?.lua;" .. package.path
local convert = require "convert"
local parser = require "parser"
local tables = dofile(home .. "request.lua")
local parse = parser.of_requests(tables)

local count, failed = 0, 0

local function test(name, fn)
  local good, problem = pcall(fn)
  count = count + 1
  if not good then failed = failed + 1 end
  print((good and "ok " or "not ok ") .. count .. " - " .. name)
  if not good then print("# " .. tostring(problem):gsub("\n", "\n# ")) end
end

local function same(got, wanted, what)
  if type(wanted) ~= "table" then
    return assert(got == wanted, string.format("%s is %s, not %s", what, tostring(got), tostring(wanted)))
  end
  assert(type(got) == "table" and #got == #wanted, what .. " has another length")
  for key, value in pairs(wanted) do same(got[key], value, what .. "." .. tostring(key)) end
end

-- "ab" or "ac..z" with an action table of two, a transition to the error, and a state out of order.
local SMALL = [[<ragel><ragel_def name="small"><machine>
<action_list length="2"><action id="0" name="open" line="1" col="1"><text></text></action>
<action id="1" name="shut" line="2" col="1"><text></text></action></action_list>
<action_table_list length="2"><action_table id="0" length="1">1</action_table>
<action_table id="1" length="2">0 1</action_table></action_table_list>
<start_state>1</start_state><error_state>0</error_state>
<state_list length="3"><state id="0"><trans_list length="0"></trans_list></state>
<state id="2" final="t"><trans_list length="1"><t>99 122 2 0</t></trans_list></state>
<state id="1"><trans_list length="3"><t>98 98 2 1</t><t>97 97 1 x</t><t>99 255 x x</t></trans_list></state>
</state_list></machine></ragel_def></ragel>]]

test("the converter's tables", function()
  same(convert.tables(SMALL), {
    start = 2, names = {"open", "shut"}, lists = {{2}, {1, 2}}, first = {1, 1, 3, 4},
    low = {97, 98, 99}, high = {97, 98, 122}, target = {2, 3, 3}, action = {0, 2, 1}}, "tables")
end)

test("its source is Lua that gives the same tables", function()
  local made = convert.tables(SMALL)
  same(assert(loadstring(convert.source(made)))(), made, "tables")
end)

test("what isn't Ragel's XML is refused", function()
  assert(not pcall(convert.tables, "<html></html>"))
  assert(not pcall(convert.tables, (SMALL:gsub("98 98 2 1", "98 98"))))
end)

test("the small machine runs: actions in order, at their places", function()
  local run, seen = parser.new(convert.tables(SMALL)), {}
  local actions = {open = function(at) seen[#seen + 1] = "open" .. at end,
                   shut = function(at) seen[#seen + 1] = "shut" .. at end}
  same({run("aabc", actions)}, {"more"}, "outcome")
  same(seen, {"open3", "shut3", "shut4"}, "actions")
  same({run("ad", actions)}, {"bad", 2}, "outcome")
  same({run("", actions)}, {"more"}, "outcome")
end)

test("request.lua: ranges are sorted and apart, all numbers lead somewhere", function()
  local states = #tables.first - 1
  assert(states > 30 and tables.start <= states)
  for state = 1, states do
    for k = tables.first[state], tables.first[state + 1] - 1 do
      assert(tables.low[k] <= tables.high[k] and tables.high[k] <= 255)
      assert(k == tables.first[state] or tables.low[k] > tables.high[k - 1], "state " .. state)
      assert(tables.target[k] >= 1 and tables.target[k] <= states)
      assert(tables.action[k] == 0 or tables.lists[tables.action[k]])
    end
  end
  same(tables.first[states + 1], #tables.low + 1, "the end")
  for _, list in ipairs(tables.lists) do
    for _, id in ipairs(list) do assert(tables.names[id]) end
  end
end)

-- The same walk without search or C arrays.
local function walk(text)
  local state = tables.start
  for at = 1, #text do
    local found
    for k = tables.first[state], tables.first[state + 1] - 1 do
      if text:byte(at) >= tables.low[k] and text:byte(at) <= tables.high[k] then found = k end
    end
    if not found then return "bad", at end
    state = tables.target[found]
    for _, id in ipairs(tables.lists[tables.action[found]] or {}) do
      if tables.names[id] == "done" then return "done", at end
    end
  end
  return "more"
end

local SAMPLE = "GET /a?b=c HTTP/1.1\r\nHost: x:80\r\nAccept:  text/html, */* \r\nX-Empty:\r\nx-Empty: 2\n\r\n"

test("every change of a byte is judged alike by search and by walking", function()
  local run, quiet = parser.new(tables), setmetatable({}, {__index = function() return function() end end})
  local outcomes = {bad = 0, more = 0, done = 0}
  for at = 1, #SAMPLE do
    for byte = 0, 255 do
      local text = SAMPLE:sub(1, at - 1) .. string.char(byte) .. SAMPLE:sub(at + 1)
      local outcome, where = run(text, quiet)
      same({outcome, where}, {walk(text)}, string.format("byte %d as %d", at, byte))
      outcomes[outcome] = outcomes[outcome] + 1
    end
  end
  assert(outcomes.bad > 1000 and outcomes.more > 10 and outcomes.done > 1000)
end)

test("a request is understood, and every prefix of it waits for more", function()
  local request = assert(parse(SAMPLE .. "next"))
  same(request.method, "GET", "method")
  same(request.target, "/a?b=c", "target")
  same(request.version, "1.1", "version")
  same(request.length, #SAMPLE, "length")
  same(request.fields.host, "x:80", "host")
  same(request.fields.accept, "text/html, */*", "accept")
  same(request.fields["x-empty"], {"", "2"}, "x-empty")
  for n = 0, #SAMPLE - 1 do
    local none, why = parse(SAMPLE:sub(1, n))
    assert(none == nil and why == "more", "a prefix of " .. n)
  end
end)

test("methods, targets and versions of 2011, and no others", function()
  for _, line in ipairs {"OPTIONS * HTTP/1.0", "HEAD / HTTP/1.1", "POST /a/b HTTP/1.1", "PUT /x HTTP/9.99",
                         "DELETE http://h/x HTTP/1.1", "GET /%41;a=b,c HTTP/1.1"} do
    assert(parse(line .. "\r\n\r\n"), line)
    assert(parse(line .. "\n\n"), line)
  end
  for _, line in ipairs {"get / HTTP/1.1", "PATCH / HTTP/1.1", "GET  / HTTP/1.1", "GET / HTTP/1.1 ", "GET /",
                         "GET x HTTP/1.1", "GET / HTTP/a.1", "GET / http/1.1", "GET /\127 HTTP/1.1",
                         "GET / HTTP/1.1\r\nno colon", "GET / HTTP/1.1\r\n: x", "GET / HTTP/1.1\r\nA : b",
                         "GET / HTTP/1.1\r\nA: b\0c", "GET / HTTP/1.1\r\nA: b\r\n folded"} do
    local none, why = parse(line .. "\r\n\r\n")
    assert(none == nil and why == "bad", line)
  end
end)

print("1.." .. count)
os.exit(failed == 0 and 0 or 1)
