// An atom that hands out what comes in between: the callback is in the context, which programs never see.
import { AgentVM, defineAtom, s } from 'mandate/vm'

const streamChunk = defineAtom('streamChunk', s.object({ data: s.any }), s.null, async ({ data }, ctx) => {
  await ctx.context['onChunk']?.(data)
  return null
})

const vm = new AgentVM({ streamChunk })
const program = vm.Agent.take(s.object({ items: s.array(s.string) }))
  .varsImport(['items'])
  .map('items', 'item', (b) =>
    b
      .template({ tmpl: 'about {{item}}', vars: { item: b.val('item') } })
      .as('result')
      .streamChunk({ data: b.val('result') }),
  )
  .as('all')
  .return(s.object({ all: s.array(s.string) }))

const { result } = await vm.run(
  program,
  { items: ['tea', 'coffee'] },
  { context: { onChunk: (chunk: unknown) => console.log('chunk:', chunk) } },
)
console.log(result)
