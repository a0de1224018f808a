import { clientOptions, databaseOver, memoryOver, promptClientOptions, promptsOver } from '../memory/index.ts'
import type {
  DataClientOptions,
  PromptClientOptions,
  PromptPort,
  RecordPort,
  WholeDatabase,
  WholeMemory,
  WholePromptStore,
} from '../memory/index.ts'

/** The ports to a store on which clients are built. `isAlone`: closing the client also closes the store. */
export interface DataPorts {
  records(isAlone: boolean): RecordPort
  prompts(isAlone: boolean): PromptPort
}

/** The clients of one store, which share its connection. */
export interface DataClients {
  memory(options?: DataClientOptions): WholeMemory
  database(options?: DataClientOptions): WholeDatabase
  prompts(options?: PromptClientOptions): WholePromptStore
}

/** Clients that share a store: it stays open when one of them is closed. */
export function sharedClients(ports: DataPorts): DataClients {
  return {
    memory: (given = {}) => memoryOver(ports.records(false), given),
    database: (given = {}) => databaseOver(ports.records(false), given),
    prompts: (given = {}) => promptsOver(ports.prompts(false), given),
  }
}

/** A client with a store of its own, created with the options of both. */
export function aloneMemory(ports: DataPorts, options: DataClientOptions): WholeMemory {
  return memoryOver(ports.records(true), clientOptions(options))
}

/** The same for a database. */
export function aloneDatabase(ports: DataPorts, options: DataClientOptions): WholeDatabase {
  return databaseOver(ports.records(true), clientOptions(options))
}

/** The same for prompts. */
export function alonePrompts(ports: DataPorts, options: PromptClientOptions): WholePromptStore {
  return promptsOver(ports.prompts(true), promptClientOptions(options))
}

/** Whether a store keeps a full-text index: an encrypted store does so only if `searchable` is set. */
export function findsWords({
  encryption,
  searchable,
}: {
  readonly encryption?: unknown
  readonly searchable?: boolean | undefined
}): boolean {
  return encryption === undefined || searchable === true
}
