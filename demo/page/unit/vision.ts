/** Simulates types of color vision in CIELAB, to measure the difference between colors. */

type Matrix = readonly (readonly [number, number, number])[];

/** Linear-RGB matrices for full dichromacy, from Machado, Oliveira and Fernandes (2009). */
const DICHROMACY: Readonly<Record<string, Matrix>> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const TO_XYZ: Matrix = [
  [0.4124, 0.3576, 0.1805],
  [0.2126, 0.7152, 0.0722],
  [0.0193, 0.1192, 0.9505],
];
const WHITE = [0.9505, 1, 1.089] as const;

/** For each type of color vision a function that converts a color such as "#d21f3c" to CIELAB. */
export const VISIONS: Readonly<Record<string, (color: string) => number[]>> = {
  ...Object.fromEntries(
    Object.entries(DICHROMACY).map(([name, matrix]) => [
      name,
      (color: string) => lab(times(matrix, linear(color))),
    ]),
  ),
  "normal vision": (color) => lab(linear(color)),
};

/** Returns the difference of two CIELAB colors (CIE76). */
export function difference(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((value, i) => value - (b[i] ?? 0)));
}

/** Returns the contrast ratio of two colors, 1..21 (WCAG 2). */
export function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  return times(TO_XYZ, linear(color))[1] ?? 0;
}

function linear(color: string): number[] {
  return [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
}

function times(matrix: Matrix, vector: readonly number[]): number[] {
  return matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * (vector[i] ?? 0), 0));
}

function lab(rgb: readonly number[]): number[] {
  const [x = 0, y = 0, z = 0] = times(TO_XYZ, rgb).map((value, i) =>
    labCurve(Math.max(0, value) / (WHITE[i] ?? 1)),
  );
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function labCurve(value: number): number {
  return value > 216 / 24389 ? Math.cbrt(value) : ((24389 / 27) * value + 16) / 116;
}
