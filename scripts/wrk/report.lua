-- What parity tells wrk to send, and the exact figures that it wants back.
--
--   wrk -s report.lua URL -- METHOD CONNECTION TYPE BODYFILE
--
-- CONNECTION is keep-alive or close; TYPE and BODYFILE are empty when there is no body.
-- There is no response() here on purpose: wrk would then copy each answer into Lua, and the
-- generator would be slower than the server. Wrong statuses are counted by wrk itself.

function init(args)
   local method, connection, content_type, body_file = args[1], args[2], args[3], args[4]
   wrk.method = method
   if connection == "close" then
      wrk.headers["Connection"] = "close"
   end
   if body_file ~= "" then
      local file = assert(io.open(body_file, "rb"))
      wrk.body = file:read("*a")
      file:close()
      wrk.headers["Content-Type"] = content_type
   end
end

-- JSON has no NaN and no infinity (RFC 8259, section 6); a figure that can't be had is null.
local function figure(x)
   if x ~= x or x == math.huge or x == -math.huge then
      return "null"
   end
   return string.format("%.3f", x)
end

local function count(x)
   return string.format("%.0f", x)
end

local function object(fields, format)
   local parts = {}
   for i, field in ipairs(fields) do
      parts[i] = string.format("\"%s\":%s", field[1], format(field[2]))
   end
   return "{" .. table.concat(parts, ",") .. "}"
end

function done(summary, latency)
   local e = summary.errors
   local errors = object({
      {"connect", e.connect}, {"read", e.read}, {"write", e.write},
      {"timeout", e.timeout}, {"status", e.status},
   }, count)
   -- Without a sample wrk's smallest latency is the largest integer.
   local nothing = latency.min > latency.max and 0 / 0
   local function percentile(p)
      return nothing or latency:percentile(p)
   end
   local latencies = object({
      {"mean", nothing or latency.mean}, {"stdev", nothing or latency.stdev},
      {"min", nothing or latency.min}, {"max", nothing or latency.max},
      {"p50", percentile(50)}, {"p75", percentile(75)}, {"p90", percentile(90)},
      {"p99", percentile(99)}, {"p999", percentile(99.9)}, {"p9999", percentile(99.99)},
   }, figure)
   io.write("--- parity: exact figures of wrk, version 1 ---\n")
   io.write("{\"requests\":", count(summary.requests),
      ",\"duration_us\":", count(summary.duration),
      ",\"bytes\":", count(summary.bytes),
      ",\"errors\":", errors,
      ",\"latency_us\":", latencies, "}\n")
end
