export { capResult } from './capped-result.ts'
export { bothWays, runLangChain, runMastra, runOpenAiAgents } from './foreign-runs.ts'
export { parsedBy, standardCheck } from './standard-check.ts'
export { runConnector, runTelling } from './telling-outcomes.ts'
