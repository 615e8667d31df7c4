-- tests/bench/call.lua - wrk: one call, for the accounts of a file in turn.
-- arguments: file with "account token" lines, body, path below the account, or from / on, and the
-- pause in milliseconds of each connection between two calls

local threads = 0

function setup(thread)
    thread:set("first", threads)
    threads = threads + 1
end

function init(args)
    lines, requests = {}, {}
    body, path = args[2], args[3]
    for line in io.lines(args[1]) do
        lines[#lines + 1] = line
    end
    at = first * math.floor(#lines / 2)
    local pause = tonumber(args[4])
    if pause > 0 then
        function delay() return pause end -- wrk looks for a function of this name
    end
end

-- Made on first use: the first thread calls while the second is still in init().
local function make(line)
    local account, token = line:match("^(%S+) (%S+)$")
    local whole = path:sub(1, 1) == "/" and path or "/v1/client/" .. account .. "/" .. path
    return wrk.format("POST", whole, {
        ["Host"] = "localhost",
        ["Authorization"] = "Bearer " .. token,
        ["Content-Type"] = "application/json",
        ["Accept-Encoding"] = "gzip", -- as in agents' hosts
        ["X-Forwarded-Proto"] = "https", -- for a gateway without the edge, which sets it
        ["X-Forwarded-For"] = "127.0.0.1",
    }, body)
end

function request()
    at = at % #lines + 1
    requests[at] = requests[at] or make(lines[at])
    return requests[at]
end

function done(summary, latency)
    local bad = summary.errors
    io.write(string.format('RESULT {"calls":%d,"seconds":%.3f,"refused":%d,"broken":%d,"p50_ms":%.2f,"p99_ms":%.2f}\n',
        summary.requests, summary.duration / 1e6, bad.status, bad.connect + bad.read + bad.write + bad.timeout,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
