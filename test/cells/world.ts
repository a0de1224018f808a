/** The tools that cells of the corpus call: the same answers in both engines, every time. */
type Input = Readonly<Record<string, unknown>>

const USERS = [
  { id: 'u1', name: 'Ada', email: 'ada@example.com', role: 'admin', age: 36 },
  { id: 'u2', name: 'Grace', email: 'grace@example.com', role: 'user', age: 45 },
  { id: 'u3', name: 'Linus', email: 'linus@example.com', role: 'user' },
]
const ORDERS: Readonly<Record<string, readonly { id: string; amount: number }[]>> = {
  u1: [{ id: 'o1', amount: 20 }],
  u2: [
    { id: 'o2', amount: 5 },
    { id: 'o3', amount: 42.5 },
  ],
  u3: [],
}
const TEMPERATURES: Readonly<Record<string, number>> = { Berlin: 18, Paris: 9, Oslo: 4 }
const PRICES: Readonly<Record<string, number>> = { a: 12, b: 9.5, c: 20 }
const RESULTS = [
  { id: 'd1', title: 'First report', url: 'https://docs.example.com/1', score: 0.9 },
  { id: 'd2', title: 'Second', url: 'https://docs.example.com/2', score: 0.6 },
  { id: 'd3', title: 'Third', url: 'https://docs.example.com/3', score: 0.2 },
]

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} was not found`)
  return value
}

export const tools: Readonly<Record<string, (input: Input) => unknown>> = {
  getUser: ({ id }) =>
    found(
      USERS.find((user) => user.id === id),
      `user ${String(id)}`,
    ),
  listUsers: () => USERS,
  listOrders: ({ userId }) => ORDERS[String(userId)] ?? [],
  search: ({ limit = 10 }) => ({ results: RESULTS.slice(0, Number(limit)), total: RESULTS.length }),
  fetchPage: ({ url }) => ({ url, text: `Page at ${String(url)}. It has some words. And an end.` }),
  tag: ({ id, tag }) => ({ id, tag }),
  listPage: ({ cursor }) => {
    const from = cursor === null ? 0 : Number(cursor)
    return { items: [from + 1, from + 2], next: from < 4 ? String(from + 2) : null }
  },
  getWeather: ({ city }) => ({ city, temp: found(TEMPERATURES[String(city)], 'city') }),
  sendEmail: ({ to }) => ({ status: 'sent', to }),
  getStock: ({ skus }) => Object.fromEntries((skus as string[]).map((sku, at) => [sku, at * 10 + 2])),
  getPrice: ({ sku }) => ({ sku, price: found(PRICES[String(sku)], 'price') }),
  readFile: () => ({ content: 'buy milk\ncall Ann\nship it' }),
  writeFile: ({ content }) => ({ bytes: String(content).length }),
  query: () => [
    { region: 'north', amount: 120.5 },
    { region: 'south', amount: 80 },
    { region: 'north', amount: 30.25 },
  ],
  poll: ({ attempt }) => ({ status: Number(attempt) >= 2 ? 'done' : 'running' }),
  listInvoices: () => [
    { id: 'i1', due: '2024-05-01', paid: false, email: 'a@example.com' },
    { id: 'i2', due: '2024-07-01', paid: false, email: 'b@example.com' },
    { id: 'i3', due: '2024-04-01', paid: true, email: 'c@example.com' },
  ],
  flaky: ({ attempt }) => {
    if (Number(attempt) < 2) throw new Error('try again')
    return 'worked'
  },
  square: ({ n }) => Number(n) ** 2,
}
