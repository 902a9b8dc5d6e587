// Numbers and names as they are shown.

/** Cuts a text that is too long for its place; one of a megabyte would freeze the layout. */
export function clip(text: string, most = 60): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

const MINUS = '−';
const SUPERSCRIPT: Record<string, string> = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };

/** A power of ten as `10⁻⁶`, with a factor if it is not one. */
function power(mantissa: string, exponent: number): string {
  const raised = [...String(exponent)].map((c) => SUPERSCRIPT[c]).join('');
  return mantissa === '1' ? `10${raised}` : `${mantissa}·10${raised}`;
}

/** A number with some significant digits, as people write it. */
export function number(value: number | null | undefined, digits = 5): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (value === 0) return '0';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : `${MINUS}∞`;
  const size = Math.abs(value);
  const sign = value < 0 ? MINUS : '';
  if (Number.isInteger(value) && size < 1e7) return sign + String(size);
  const [mantissa, exponent] = size.toExponential(digits - 1).split('e');
  const e = Number(exponent);
  if (e < -4 || e >= 7) return sign + power(trimmed(mantissa), e);
  return sign + trimmed(size.toFixed(Math.max(0, digits - 1 - e)));
}

function trimmed(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}

/** A number with a fixed count of decimals for things that move, so that the text does not jump. */
export function steady(value: number, span: number): string {
  if (!Number.isFinite(value)) return '–';
  const e = span > 0 ? Math.floor(Math.log10(span)) : 0;
  if (e < -5 || e > 7) return value.toExponential(3).replace('-', MINUS);
  return value.toFixed(Math.min(8, Math.max(0, 3 - e))).replace('-', MINUS);
}

/** A name with its unit in brackets. */
export function withUnit(name: string, unit: string): string {
  return unit === '' ? name : name === '' ? unit : `${name} [${unit}]`;
}

/** A name that can be that of a file. */
export function fileName(text: string): string {
  return clip(text.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[-.]+|-+$/g, ''), 60).replace('…', '') || 'alembert';
}
