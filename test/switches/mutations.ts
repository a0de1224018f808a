import { CELL_MUTATIONS } from './cell-mutations.ts'
import { CHAT_MUTATIONS } from './chat-mutations.ts'
import { CONNECT_MUTATIONS } from './connect-mutations.ts'
import { FEATURE_MUTATIONS } from './feature-mutations.ts'
import { GATE_MUTATIONS } from './gate-mutations.ts'
import { GRAPH_MUTATIONS } from './graph-mutations.ts'
import type { Mutation } from './mutation.ts'
import { REDACTION_MUTATIONS } from './redaction-mutations.ts'
import { RUN_MUTATIONS } from './run-mutations.ts'
import { SERVER_MUTATIONS } from './server-mutations.ts'
import { STORE_MUTATIONS } from './store-mutations.ts'
import { TEAM_MUTATIONS } from './team-mutations.ts'
import { VM_MUTATIONS } from './vm-mutations.ts'

/** Every guard, limit and check that the matrix switches off. */
export const MUTATIONS: readonly Mutation[] = [
  ...GATE_MUTATIONS,
  ...RUN_MUTATIONS,
  ...VM_MUTATIONS,
  ...REDACTION_MUTATIONS,
  ...CONNECT_MUTATIONS,
  ...SERVER_MUTATIONS,
  ...FEATURE_MUTATIONS,
  ...GRAPH_MUTATIONS,
  ...CELL_MUTATIONS,
  ...TEAM_MUTATIONS,
  ...CHAT_MUTATIONS,
  ...STORE_MUTATIONS,
]
