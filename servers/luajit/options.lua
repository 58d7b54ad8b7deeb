-- options: what serve.lua is told on its command line; one table for parsing and --help.
local options = {}

local list = {
  {"port", "N", "port to listen on (required); 0: any free one", least = 0, most = 65535},
  {"host", "ADDR", "IPv4 address to listen on", start = "127.0.0.1"},
  {"table", "N", "places for sockets, listener and signals included; beyond: reset", start = 1000,
   least = 3, most = 1048576},
  {"backlog", "N", "clients the listen queue holds", start = 128, least = 1, most = 1048576},
  {"parser", "FILE", "state tables (request.lua): parse requests and answer by their path"},
  {"reply", "KIND", "ok, or 2011: the bytes that were measured then", start = "ok",
   among = {ok = true, ["2011"] = true}},
  {"user", "NAME", "whom to become when started as root", start = "nobody"},
  {"version", nil, "print version"},
  {"help", nil, "print this"},
}

local function find(name)
  for _, option in ipairs(list) do
    if option[1] == name then return option end
  end
end

-- The value that text means for an option, or nil and what is wrong.
local function value_of(option, text)
  if option.least then
    local n = text:match("^%d+$") and tonumber(text)
    if not n or n < option.least or n > option.most then
      return nil, string.format("--%s: '%s' is not a number from %d to %d", option[1], text,
                                option.least, option.most)
    end
    return n
  elseif option.among and not option.among[text] then
    return nil, string.format("--%s: '%s' is not ok or 2011", option[1], text)
  end
  return text
end

-- A table by option names, or nil and what is wrong in words. Both "--flag VALUE" and "--flag=VALUE".
function options.parse(args)
  local o, i = {}, 1
  for _, option in ipairs(list) do o[option[1]] = option.start end
  while args[i] do
    local name, text = args[i]:match("^%-%-([%w-]+)=?(.*)$")
    local option, with = name and find(name), args[i]:find("=", 1, true)
    if not option then return nil, string.format("unknown option '%s'; see --help", args[i]) end
    if not option[2] and with then return nil, string.format("--%s takes no value", name) end
    if option[2] and not with then
      i = i + 1
      text = args[i]
      if not text then return nil, string.format("--%s needs a value (%s)", name, option[2]) end
    end
    local value, err = true, nil
    if option[2] then value, err = value_of(option, text) end
    if not value then return nil, err end
    o[name] = value
    i = i + 1
  end
  if not (o.port or o.help or o.version) then return nil, "--port is required; see --help" end
  return o
end

function options.help()
  local lines = {"usage: luajit serve.lua --port N [options]", ""}
  for _, option in ipairs(list) do
    local left = "--" .. option[1] .. (option[2] and " " .. option[2] or "")
    local start = option.start and string.format(" (%s)", option.start) or ""
    lines[#lines + 1] = string.format("  %-16s %s%s", left, option[3], start)
  end
  return table.concat(lines, "\n") .. "\n"
end

return options
