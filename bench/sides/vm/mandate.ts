import { Eval } from 'mandate/vm'
import type { EvalTool } from '../../../src/vm/script/eval.ts'
import type { Engine } from './engine.ts'

/** Every limit is on; only fuel is raised, because these programs are meant to compute more than an agent's glue does. */
const LIMITS = { fuel: 10_000_000 }

export const engine: Engine = {
  label: 'mandate',
  create: (world) => ({
    run: async (source) => {
      const { result, error } = await Eval(source, {
        limits: LIMITS,
        tools: world as unknown as Readonly<Record<string, EvalTool>>,
      })
      if (error !== undefined) throw new Error(error.message)
      return result
    },
    end: () => {},
  }),
}
