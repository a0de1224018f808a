// Agents that call agents: all from one tank, or each from a small one of its own.
import { AgentVM, program, s } from 'mandate/vm'
import type { Capabilities } from 'mandate/vm'

const vm = new AgentVM()

/** Counts to `n`, which costs something. */
const counter = program
  .take(s.object({ n: s.integer }))
  .varSet({ key: 'i', value: 0 })
  .while('i < n', { i: 'i', n: 'args.n' }, (b) =>
    b.varSet({ key: 'i', value: { $expr: 'binary', op: '+', left: b.val('i'), right: 1 } }),
  )
  .return({ value: program.val('i') })
  .toJSON()

/** Has others count, one after the other, and goes on when one of them cannot. */
const boss = program
  .take(s.object({ jobs: s.array(s.integer) }))
  .varsImport(['jobs'])
  .map('jobs', 'n', (b) =>
    b.try({
      try: (t) => t.agentRun({ agentId: 'counter', input: { n: t.val('n') } }).as('result'),
      catch: (c) => c.varSet({ key: 'result', value: 'out of fuel' }),
    }),
  )
  .as('done')
  .return(s.object({ done: s.array(s.any) }))

const tank = { fuel: 20 }
const shared: Capabilities = {
  agent: {
    async run(_agentId, input) {
      if (tank.fuel <= 0) throw new Error('Out of shared fuel')
      const { result, error, fuelUsed } = await vm.run(counter, input as object, {
        fuel: tank.fuel,
        capabilities: shared,
      })
      tank.fuel -= fuelUsed
      if (error !== undefined) throw new Error(error.message)
      return result
    },
  },
}
const fixed: Capabilities = {
  agent: { run: (_agentId, input) => vm.run(counter, input as object, { fuel: 5, capabilities: fixed }) },
}

for (const [name, capabilities] of Object.entries({ shared, fixed })) {
  const { result } = await vm.run(boss, { jobs: [10, 20, 40, 5] }, { capabilities })
  console.log(name, JSON.stringify(result), name === 'shared' ? `left in the tank: ${tank.fuel.toFixed(2)}` : '')
}
