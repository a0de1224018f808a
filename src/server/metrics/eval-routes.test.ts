import { expect, test } from 'vitest'
import { evaluate } from '../../evals/index.ts'
import { bench } from '../http/server.fixture.ts'

test('reports of evals are there for callers that may read journals', async () => {
  const { service, json } = bench()
  const [agent] = (await service.health()).agents
  const tasks = [{ id: 'hello', input: 'Say hello.', checks: ["status == 'completed'"] }]
  const report = await evaluate({ name: 'greetings', agent: agent!, tasks }, { service })
  const listed = await json('GET', '/api/evals', undefined, 'viewer')
  expect(listed).toMatchObject({
    status: 200,
    body: { evals: [{ id: report.id, name: 'greetings', ok: true, regressions: null }] },
  })
  expect(listed.body.evals[0]).not.toHaveProperty('attempts')
  expect((await json('GET', `/api/evals/${report.id}`, undefined, 'viewer')).body).toEqual(
    JSON.parse(JSON.stringify(report)),
  )
  expect((await json('GET', `/api/evals/${report.attempts[0]!.run}`, undefined, 'viewer')).status).toBe(404)
  expect((await json('GET', '/api/evals/eval_none', undefined, 'viewer')).status).toBe(404)
  expect((await json('GET', '/api/evals', undefined, 'operator')).status).toBe(403)
})
