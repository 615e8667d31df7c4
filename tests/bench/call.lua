-- tests/bench/call.lua - wrk: one call, the accounts of a file in turn.
-- arguments: file with "account token" lines, body, what is called: a path below the account; how many
-- milliseconds each connection waits between two calls

local threads = 0

function setup(thread)
    thread:set("first", threads)
    threads = threads + 1
end

function init(args)
    requests = {}
    for line in io.lines(args[1]) do
        local account, token = line:match("^(%S+) (%S+)$")
        requests[#requests + 1] = wrk.format("POST", "/v1/client/" .. account .. "/" .. args[3], {
            ["Host"] = "localhost",
            ["Authorization"] = "Bearer " .. token,
            ["Content-Type"] = "application/json",
            ["X-Forwarded-Proto"] = "https", -- for a gateway without the edge, which says it anew
            ["X-Forwarded-For"] = "127.0.0.1",
        }, args[2])
    end
    at = first * math.floor(#requests / 2)
    local pause = tonumber(args[4])
    if pause > 0 then
        function delay() return pause end -- wrk looks for a function of this name
    end
end

function request()
    at = at % #requests + 1
    return requests[at]
end

function done(summary, latency)
    local bad = summary.errors
    io.write(string.format('RESULT {"calls":%d,"seconds":%.3f,"refused":%d,"broken":%d,"p50_ms":%.2f,"p99_ms":%.2f}\n',
        summary.requests, summary.duration / 1e6, bad.status, bad.connect + bad.read + bad.write + bad.timeout,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
