import { scripted } from 'mandate/model'

const replies = [
  '```js\nconst rows = await tools.read_table({ table: "sales" })\nprint(rows.length, "rows:", Object.keys(rows[0]).join(" "))\n```',
  `\`\`\`js
const total = (shop) => rows.filter((row) => row.shop === shop).reduce((sum, row) => sum + row.amount, 0)
const ranking = [...new Set(rows.map((row) => row.shop))].map((shop) => [shop, total(shop)]).sort((a, b) => b[1] - a[1])
answer(\`\${ranking[0][0]} sells most: \${ranking[0][1]}, which is \${ranking[0][1] - ranking[1][1]} more than \${ranking[1][0]}.\`)
\`\`\``,
]

/** The model: the one that MANDATE_MODEL names, such as `openai/gpt-5-mini`, or scripted replies, which need no key and no network. */
export const model = process.env['MANDATE_MODEL'] || scripted((_, { position }) => replies[position % replies.length]!)
