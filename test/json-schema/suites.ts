import { existsSync, globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Json, JsonObject } from 'mandate'

/** A file of the official test suite: groups of one schema each. */
export interface SuiteFile {
  /** `draft4/enum`, `draft2020-12/optional/format/uri`. */
  readonly name: string
  readonly groups: readonly SuiteGroup[]
}

export interface SuiteGroup {
  readonly schema: Json
  readonly tests: readonly { readonly data: Json; readonly valid: boolean }[]
}

const require = createRequire(import.meta.url)

const DRAFTS: Readonly<Record<string, string>> = {
  draft4: 'http://json-schema.org/draft-04/schema#',
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2019-09': 'https://json-schema.org/draft/2019-09/schema',
}

/** The part of the official suite that npm carries: draft 4 of 2015. */
export function npmSuite(): readonly SuiteFile[] {
  const root = dirname(require.resolve('json-schema-test-suite/package.json'))
  return readSuite(root, ['draft4'])
}

/** The whole suite, from wherever `MANDATE_JSON_SCHEMA_SUITE` says it was cloned to. */
export function clonedSuite(): readonly SuiteFile[] | undefined {
  const folder = process.env['MANDATE_JSON_SCHEMA_SUITE']
  if (folder === undefined || folder === '') return undefined
  if (!existsSync(join(folder, 'tests/draft2020-12'))) throw new Error(`${folder} has no tests/draft2020-12`)
  return readSuite(resolve(folder), ['draft2020-12', 'draft2019-09', 'draft7', 'draft4'])
}

function readSuite(root: string, drafts: readonly string[]): readonly SuiteFile[] {
  return drafts.flatMap((draft) =>
    globSync(join(root, 'tests', draft, '**/*.json'))
      .toSorted()
      .map((path) => {
        const place = relative(join(root, 'tests'), dirname(path)).replaceAll('\\', '/')
        const groups = JSON.parse(readFileSync(path, 'utf8')) as SuiteGroup[]
        const dated = groups.map((group) => ({ ...group, schema: withDraft(group.schema, DRAFTS[draft]) }))
        return { name: `${place}/${basename(path, '.json')}`, groups: dated }
      }),
  )
}

/** The files of a draft do not all say which draft they are of. */
function withDraft(schema: Json, draft: string | undefined): Json {
  if (typeof schema !== 'object' || schema === null || draft === undefined) return schema
  return { $schema: draft, ...(schema as JsonObject) }
}
