// An atom that asks who is asking: the same program, the same capability, another answer.
import { AgentVM, defineAtom, s } from 'mandate/vm'

const secureFetch = defineAtom(
  'secureFetch',
  s.object({ url: s.string }),
  s.any,
  async ({ url }, ctx) => {
    if (!ctx.context['permissions']?.includes('fetch:external')) throw new Error('Not authorized for external fetch')
    return ctx.capabilities.fetch?.(url, { signal: ctx.signal })
  },
  { cost: 5, risk: 'read', docs: 'Fetches a URL for those who may.' },
)

const vm = new AgentVM({ secureFetch })
const program = vm.Agent.take(s.object({ url: s.string }))
  .secureFetch({ url: vm.Agent.args('url') })
  .as('page')
  .return(s.object({ page: s.string }))

for (const permissions of [['fetch:external'], []]) {
  const { result, error, fuelUsed } = await vm.run(
    program,
    { url: 'https://example.com' },
    { context: { permissions }, capabilities: { fetch: async (url) => `the page at ${url}` } },
  )
  console.log(permissions, result ?? error?.message, `fuel ${fuelUsed}`)
}
