export { eraseRow, listed } from './memory-rows.ts'
export { headBefore, readVerified } from './reading.ts'
