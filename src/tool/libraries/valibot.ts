import { type SchemaLibrary, functionOf, membersOf } from './library.ts'

/** Valibot, whose converter is a package of its own. */
export const valibot: SchemaLibrary = {
  *ways(schema, { side, isStrict, find }) {
    const options = { typeMode: side, errorMode: isStrict ? 'throw' : 'ignore' }
    for (const copy of find('@valibot/to-json-schema')) yield () => functionOf(copy, 'toJsonSchema')?.(schema, options)
  },
  fix: () => 'Run `npm install @valibot/to-json-schema`.',
}

export function isValibot(schema: object): boolean {
  return membersOf(membersOf(schema)['~standard'])['vendor'] === 'valibot'
}
