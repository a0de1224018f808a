// Programs behind a small HTTP server: who asks decides what a call costs, and what the program may do.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AgentVM, program, s } from 'mandate/vm'

interface User {
  readonly id: string
  readonly tier: 'free' | 'premium'
  readonly permissions: readonly string[]
}

const users: Readonly<Record<string, User>> = {
  'Bearer gold': { id: 'ada', tier: 'premium', permissions: ['llm'] },
  'Bearer tin': { id: 'bob', tier: 'free', permissions: ['llm'] },
}

const vm = new AgentVM()

const server = createServer((request, response) => {
  void (async () => {
    const user = users[request.headers.authorization ?? '']
    if (user === undefined) return response.writeHead(401).end('{"error":"who are you?"}')
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { ast, args } = JSON.parse(body) as { ast: object; args: object }
    const result = await vm.run(ast, args, {
      fuel: 150,
      timeoutMs: 5_000,
      context: { userId: user.id, permissions: user.permissions, requestId: request.headers['x-request-id'] },
      capabilities: { llm: { predict: async (prompt: string) => `an answer to "${prompt}"` } },
      costOverrides: { llmPredict: user.tier === 'premium' ? 10 : 100 },
    })
    response.writeHead(result.error === undefined ? 200 : 422, { 'content-type': 'application/json' })
    response.end(JSON.stringify(result))
  })()
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/run-agent`

const ast = program
  .take(s.object({ questions: s.array(s.string) }))
  .varsImport(['questions'])
  .map('questions', 'question', (b) => b.llmPredict({ prompt: b.val('question') }).as('result'))
  .as('answers')
  .return(s.object({ answers: s.array(s.string) }))
  .toJSON()

for (const authorization of ['Bearer gold', 'Bearer tin', 'nobody']) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify({ ast, args: { questions: ['Why?', 'How?'] } }),
  })
  console.log(authorization, answer.status, await answer.text())
}
server.close()
