-- tests/bench/program.lua - wrk: requests of programs to the portal, straight to it.
-- arguments: file with a body on each line, path, media type, and the pause in milliseconds of each
-- connection between two requests; an empty body is a GET. With a pause, responses with 503 are
-- counted as busy, not as refused.

local threads = {}

function setup(thread)
    thread:set("first", #threads)
    threads[#threads + 1] = thread
end

function init(args)
    bodies = {}
    for line in io.lines(args[1]) do
        bodies[#bodies + 1] = line
    end
    path, media, at = args[2], args[3], first * math.floor(#bodies / 2)
    local pause = tonumber(args[4])
    busy = 0
    if pause > 0 then -- wrk looks for functions of these names, and is slower with them
        function delay() return pause end
        function response(status) busy = busy + (status == 503 and 1 or 0) end
    end
end

function request()
    at = at % #bodies + 1
    local body = bodies[at]
    return wrk.format(body == "" and "GET" or "POST", path, {
        ["Host"] = "localhost",
        ["Content-Type"] = media,
        ["X-Forwarded-Proto"] = "https",
        ["X-Forwarded-For"] = "127.0.0.1",
    }, body ~= "" and body or nil)
end

function done(summary, latency)
    local bad, busy = summary.errors, 0
    for _, thread in ipairs(threads) do
        busy = busy + thread:get("busy")
    end
    io.write(string.format('RESULT {"calls":%d,"seconds":%.3f,"refused":%d,"busy":%d,"broken":%d,"p95_ms":%.2f}\n',
        summary.requests, summary.duration / 1e6, bad.status - busy, busy,
        bad.connect + bad.read + bad.write + bad.timeout, latency:percentile(95) / 1000))
end
