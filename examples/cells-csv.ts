// A session of cells over a table: each cell sees what the ones before have left, and the last one can be taken back.
import { AgentService } from 'mandate'
import { ReplSession } from 'mandate/repl'

const sales = `month,shop,amount
2026-01,north,120
2026-01,south,80
2026-02,north,90
2026-02,south,130
2026-03,north,150`

const service = new AgentService()
const session = await ReplSession.open(service, { sessionId: 'sales', context: sales })

const cells = [
  `const [head, ...lines] = context.split('\\n').map((line) => line.split(','))
   const rows = lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])))
   print(rows.length, 'rows:', head.join(' '))`,
  `const total = (list) => list.reduce((sum, { amount }) => sum + Number(amount), 0)
   const byShop = Object.groupBy(rows, ({ shop }) => shop)
   Object.fromEntries(Object.entries(byShop).map(([shop, list]) => [shop, total(list)]))`,
  `rows.length = 0`,
]
for (const cell of cells) {
  const { stdout, value, variablesChanged } = await session.evalCell(cell)
  console.log(stdout.trim(), value ?? '', 'set:', variablesChanged.join(' '))
}

// That was a mistake.
await session.undo()
const { value } = await session.evalCell('total(rows)')
console.log('all shops:', value)
await service.stop()
