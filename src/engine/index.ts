export { localEngine } from '../run/index.ts'
