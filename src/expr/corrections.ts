/** Common mistakes and their corrections, one pair per line. */
export const CORRECTIONS: ReadonlyMap<string, string> = new Map(
  `= ==
& &&
| ||
<> !=
++ + 1
-- - 1
^ **
and &&
or ||
not !
in list.includes(x)
undefined null
( text.method(
" "…"
' '…'`
    .split('\n')
    .map((line) => line.split(/ (.*)/) as [string, string]),
)
