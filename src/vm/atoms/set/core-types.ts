import type { Json } from '../../../core/index.ts'
import type { Atom } from '../atom.ts'

type List = readonly unknown[]
type Dictionary = Readonly<Record<string, unknown>>
type Operands = { readonly a: unknown; readonly b: unknown }

/** Input types of the core atoms, for the methods of the builder. The tables hold the same schemas for programs; a test compares the names. */
interface CoreInputs {
  push: { readonly list: List; readonly item: unknown }
  len: { readonly list: unknown }
  split: { readonly str: string; readonly sep: string }
  join: { readonly list: List; readonly sep: string }
  template: { readonly tmpl: string; readonly vars: Dictionary }
  regexMatch: { readonly pattern: string; readonly value: string }
  pick: { readonly obj: Dictionary; readonly keys: readonly string[] }
  omit: { readonly obj: Dictionary; readonly keys: readonly string[] }
  merge: { readonly a: Dictionary; readonly b: Dictionary }
  keys: { readonly obj: Dictionary }
  jsonParse: { readonly str: string }
  jsonStringify: { readonly value: unknown }
  eq: Operands
  neq: Operands
  gt: Operands
  lt: Operands
  and: Operands
  or: Operands
  not: { readonly value: unknown }
  toolCall: { readonly name: unknown; readonly input?: unknown }
  callLocal: { readonly name: string; readonly args?: List | undefined }
  Error: { readonly args?: List | undefined }
  random: {
    readonly min?: number | undefined
    readonly max?: number | undefined
    readonly format?: string | undefined
    readonly length?: number | undefined
  }
  uuid: { readonly [field: string]: never }
  hash: { readonly value: unknown; readonly algorithm?: string | undefined }
  consoleLog: { readonly message: unknown }
  consoleWarn: { readonly message: unknown }
  consoleError: { readonly message: unknown }
  httpFetch: {
    readonly url: string
    readonly method?: string | undefined
    readonly headers?: Dictionary | undefined
    readonly body?: unknown
    readonly responseType?: string | undefined
  }
  storeGet: { readonly key: string }
  storeSet: { readonly key: string; readonly value: unknown }
  storeQuery: { readonly query: unknown }
  storeQueryWhere: {
    readonly predicate: Dictionary
    readonly collection?: string | undefined
    readonly limit?: number | undefined
  }
  storeVectorSearch: {
    readonly collection: string
    readonly vector: readonly number[]
    readonly k?: number | undefined
  }
  llmPredict: { readonly prompt: string; readonly options?: Dictionary | undefined }
  sleep: { readonly ms: number }
  waitUntil: { readonly time: unknown }
  xmlParse: { readonly str: string }
  agentRun: { readonly agentId: unknown; readonly input?: Dictionary | undefined; readonly fuel?: number | undefined }
  transpileCode: { readonly code: string }
  runCode: { readonly code: string; readonly args?: Dictionary | undefined }
  storeProcedure: {
    readonly ast: Dictionary
    readonly ttl?: number | undefined
    readonly maxSize?: number | undefined
  }
  releaseProcedure: { readonly token: string }
  clearExpiredProcedures: { readonly [field: string]: never }
}

/** The core atoms as builder methods. */
export type CoreAtoms = { readonly [Op in keyof CoreInputs]: Atom<Op, CoreInputs[Op], Json> }

/** Input types of the optional atoms. */
interface BatteryInputs {
  storeVectorize: { readonly text: string; readonly model?: string | undefined }
  storeCreateCollection: { readonly collection: string; readonly dimension?: number | undefined }
  storeVectorAdd: { readonly collection: string; readonly doc: Dictionary }
  storeSearch: {
    readonly collection: string
    readonly queryVector: readonly number[]
    readonly k?: number | undefined
    readonly filter?: Dictionary | undefined
  }
  llmPredictBattery: {
    readonly system?: string | undefined
    readonly user: string
    readonly tools?: List | undefined
    readonly responseFormat?: Dictionary | undefined
  }
  llmVision: {
    readonly system?: string | undefined
    readonly prompt: string
    readonly images: readonly string[]
    readonly responseFormat?: Dictionary | undefined
  }
}

export type BatteryAtoms = { readonly [Op in keyof BatteryInputs]: Atom<Op, BatteryInputs[Op], Json> }
