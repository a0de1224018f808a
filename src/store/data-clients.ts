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

/** What a store gives its clients to stand on. `isAlone`: closing the client closes the way to the store, too. */
export interface DataPorts {
  records(isAlone: boolean): RecordPort
  prompts(isAlone: boolean): PromptPort
}

/** The clients of one store, which share its way to the data. */
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

/** A client that has a store for itself, given the options of both at once. */
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

/** Whether a store keeps an index of words: a sealed one does only where it is told to. */
export function findsWords({
  encryption,
  searchable,
}: {
  readonly encryption?: unknown
  readonly searchable?: boolean | undefined
}): boolean {
  return encryption === undefined || searchable === true
}
