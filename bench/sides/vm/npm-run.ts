import { load } from '../../peers/load.ts'
import type { Engine } from './engine.ts'

interface Run {
  readonly run: (given: object) => Promise<{ readonly status: string; readonly value?: unknown }>
}

const { run } = await load<Run>('run')

export const engine: Engine = {
  label: 'run (QuickJS in a thread of its own)',
  create: (world) => ({
    run: async (source) => {
      const result = await run({ source: `return await ${source}`, hostFunctions: { tools: { ...world } } })
      if (result.status !== 'completed') throw new Error(JSON.stringify(result))
      return result.value
    },
    end: () => {},
  }),
}
