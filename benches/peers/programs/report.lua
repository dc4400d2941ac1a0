-- The workload of Lua in benches/record.rs: reads orders from text, groups and sorts them, and writes a report.
local random = 12345
local function number(below)
  random = (random * 1103515245 + 12345) % 2147483648
  return random % below
end

local function made(count)
  local lines = {}
  for i = 1, count do
    lines[i] = string.format("%d;customer %d;%d;%d", i, number(500), number(90) + 1, number(10000))
  end
  return table.concat(lines, "\n")
end

local function parsed(text)
  local orders = {}
  for id, customer, pieces, price in text:gmatch("(%d+);([^;]*);(%d+);(%d+)") do
    orders[#orders + 1] =
      { id = tonumber(id), customer = customer, pieces = tonumber(pieces), price = tonumber(price) }
  end
  return orders
end

local function grouped(orders)
  local groups = {}
  for _, order in ipairs(orders) do
    local group = groups[order.customer] or { customer = order.customer, sum = 0, orders = {} }
    groups[order.customer] = group
    group.sum = group.sum + order.pieces * order.price
    table.insert(group.orders, order)
  end
  return groups
end

local function sorted(groups)
  local list = {}
  for _, group in pairs(groups) do
    table.sort(group.orders, function(a, b) return a.price > b.price end)
    list[#list + 1] = group
  end
  table.sort(list, function(a, b) return a.sum > b.sum end)
  return list
end

for _ = 1, tonumber(arg[1] or 5) do
  for place, group in ipairs(sorted(grouped(parsed(made(20000))))) do
    io.write(string.format("%3d %-14s %12d %s\n", place, group.customer, group.sum, group.orders[1].id))
  end
end
