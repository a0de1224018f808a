// What `mandate/expr` offers: expressions over plain data.
export { checkExpr, compileExpr, fuelOf, parseCondition } from './index.ts'
export type { Compiled, ExprNode } from './index.ts'
