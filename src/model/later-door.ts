export { modelFailure } from './failure.ts'
