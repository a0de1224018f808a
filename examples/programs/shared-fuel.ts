// Agents that call agents: from one tank, or each from a small one of its own.
import { AgentVM, program, s } from 'mandate/vm'
import type { Capabilities } from 'mandate/vm'

const vm = new AgentVM()

/** Calls itself with one less, down to nothing. */
const countdown = program
  .take(s.object({ n: s.integer }))
  .varsImport(['n'])
  .if('n > 0', { n: 'n' }, (b) =>
    b
      .agentRun({
        agentId: 'countdown',
        input: { n: { $expr: 'binary', op: '-', left: b.val('n'), right: { $expr: 'literal', value: 1 } } },
      })
      .as('below'),
  )
  .return({ value: { n: program.val('n'), below: program.val('below') } })
  .toJSON()

const tank = { fuel: 20 }
const shared: Capabilities = {
  agent: {
    async run(_agentId, input) {
      if (tank.fuel <= 0) throw new Error('Out of shared fuel')
      const { result, error, fuelUsed } = await vm.run(countdown, input as object, {
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
  agent: { run: (_agentId, input) => vm.run(countdown, input as object, { fuel: 3, capabilities: fixed }) },
}

const few = await vm.run(countdown, { n: 3 }, { capabilities: shared })
console.log('shared, 3 deep:', JSON.stringify(few.result), `left in the tank: ${tank.fuel.toFixed(2)}`)
const many = await vm.run(countdown, { n: 100 }, { capabilities: shared })
console.log('shared, 100 deep:', many.error?.message)
const each = await vm.run(countdown, { n: 5 }, { capabilities: fixed })
console.log('fixed, 5 deep:', JSON.stringify(each.result))
