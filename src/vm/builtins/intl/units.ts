/** Units of one formatted number or date. */
export const FORMAT_UNITS = 20_000
