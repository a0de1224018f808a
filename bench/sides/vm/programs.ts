import type { Question, World } from './engine.ts'

const PLANS = ['free', 'pro', 'team']
const users = Array.from({ length: 200 }, (_, i) => ({
  id: `u${i}`,
  name: `User ${i}`,
  email: `USER${i}@Example.com`,
  active: i % 5 !== 0,
  plan: PLANS[i % 3],
}))
const orders = Array.from({ length: 500 }, (_, i) => ({
  id: i,
  userId: `u${(i * 7) % 200}`,
  amount: ((i * 37) % 1000) / 10,
  status: i % 4 === 0 ? 'open' : 'paid',
  sku: `sku-${i % 50}`,
}))

export const world: World = {
  add: async (n) => n + 1,
  ask: async ({ name, body }: Question) => {
    if (name === 'list_users') return users
    if (name === 'list_orders') return orders
    return { ok: true, n: body?.length }
  },
}

export interface BenchProgram {
  readonly source: string
  readonly expected: number
}

const CODE_MODE = `(async function () {
  const users = await tools.ask({ name: 'list_users' })
  const orders = await tools.ask({ name: 'list_orders' })
  const byUser = {}
  for (const order of orders) {
    if (order.status !== 'paid') continue
    if (!byUser[order.userId]) byUser[order.userId] = { count: 0, total: 0, items: [] }
    const entry = byUser[order.userId]
    entry.count++
    entry.total += order.amount
    entry.items.push(order.sku)
  }
  const rows = users
    .filter((user) => user.active && byUser[user.id])
    .map((user) => ({ name: user.name, email: user.email.toLowerCase(), count: byUser[user.id].count, total: byUser[user.id].total }))
    .sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1))
    .slice(0, 20)
  let report = ''
  for (const row of rows) report += \`\${row.name} <\${row.email}>: \${row.count} orders, $\${row.total.toFixed(2)}\\n\`
  const sent = await tools.ask({ name: 'send', body: report })
  if (!sent.ok || sent.n !== report.length) throw new Error('not sent')
  return rows.length
})()`

/** The first five only compute. Every sandbox parses each program again. */
export const programs: Readonly<Record<string, BenchProgram>> = {
  fib25: {
    source: '(function () { function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } return fib(25) })()',
    expected: 75_025,
  },
  loop1e6: {
    source: '(function () { let sum = 0; for (let i = 0; i < 1000000; i++) { sum += i } return sum })()',
    expected: 499_999_500_000,
  },
  array1e5: {
    source: `(function () {
      const list = []
      for (let i = 0; i < 100000; i++) list.push(i)
      const kept = list.map((x) => x * 2).filter((x) => x % 3 === 0).reduce((sum, x) => sum + x, 0)
      let total = 0
      for (const x of list) total += x
      return kept + total
    })()`,
    expected: 8_333_316_666,
  },
  string1e5: {
    source: `(function () {
      let text = ''
      for (let i = 0; i < 100000; i++) { text += 'x' + (i % 10) }
      let found = 0
      for (let i = 0; i < text.length; i += 7) { if (text[i] === 'x') found++ }
      return text.length + found
    })()`,
    expected: 214_286,
  },
  object1e5: {
    source: `(function () {
      const o = { a: 0, b: 0, c: 0 }
      const counts = {}
      for (let i = 0; i < 100000; i++) {
        o.a += i
        o.b = o.a - i
        o.c = o.b % 255
        const key = 'k' + (i % 64)
        counts[key] = (counts[key] || 0) + 1
      }
      return o.a + o.b + o.c + counts.k3
    })()`,
    expected: 9_999_801_795,
  },
  async10k: {
    source:
      '(async function () { let total = 0; for (let i = 0; i < 10000; i++) { total += await tools.add(i) } return total })()',
    expected: 50_005_000,
  },
  codemode: { source: CODE_MODE, expected: 20 },
}

/** A program that waits and holds a small state. */
export const WAITING =
  "(async function () { const list = []; for (let i = 0; i < 10; i++) list.push({ i, s: 'v' + i }); const got = await tools.add(1); return list.length + got })()"
