// Fourier transform of short frames for sizes with factors 2, 3, 4 and 5, on complex points: the caller can transform
// two real frames at once, as real and imaginary part, and separates them itself. Own code because the package that was
// tried (KISS FFT as WebAssembly) does not load on Node 24 (it fetches its file by path) and installs process-wide
// crash handlers.

const sin3 = Math.sqrt(3) / 2;
const cos5a = Math.cos((2 * Math.PI) / 5);
const cos5b = Math.cos((4 * Math.PI) / 5);
const sin5a = Math.sin((2 * Math.PI) / 5);
const sin5b = Math.sin((4 * Math.PI) / 5);

export type FrameFft = {
  /** Input and output of `forward()`, `size` points each; the output overwrites the input. */
  readonly re: Float64Array;
  readonly im: Float64Array;
  /** X[k] = Σ x[n]·e^(−2πi·kn/size), in place. */
  forward(): void;
};

/**
 * A self-sorting (Stockham) transform over its own buffers. The inverse is the same with `re` and `im` swapped, without
 * division by `size`: read x̂ as im + i·re. Throws a RangeError for a size with another prime factor.
 */
export function createFrameFft(size: number): FrameFft {
  const radices = factorizeSize(size);
  const re = new Float64Array(size);
  const im = new Float64Array(size);
  const scratchRe = new Float64Array(size);
  const scratchIm = new Float64Array(size);
  const cosTable = new Float64Array(size);
  const sinTable = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    cosTable[i] = Math.cos((2 * Math.PI * i) / size);
    sinTable[i] = -Math.sin((2 * Math.PI * i) / size);
  }

  function forward(): void {
    let fromRe = re;
    let fromIm = im;
    let toRe = scratchRe;
    let toIm = scratchIm;
    let stride = 1;
    for (const radix of radices) {
      const pass = radix === 4 ? pass4 : radix === 5 ? pass5 : radix === 3 ? pass3 : pass2;
      pass(fromRe, fromIm, toRe, toIm, stride, size / radix / stride, cosTable, sinTable);
      [fromRe, toRe] = [toRe, fromRe];
      [fromIm, toIm] = [toIm, fromIm];
      stride *= radix;
    }
    // After an odd number of passes the result is in the other pair of buffers.
    if (fromRe === re) return;
    re.set(fromRe);
    im.set(fromIm);
  }

  return { re, im, forward };
}

type Radix = 2 | 3 | 4 | 5;

/** Each factor is one pass; 1200 is 4 · 4 · 3 · 5 · 5. */
function factorizeSize(size: number): Radix[] {
  const found: Radix[] = [];
  let remaining = size;
  for (const radix of [4, 2, 3, 5] as const) {
    for (; remaining > 1 && remaining % radix === 0; remaining /= radix) found.push(radix);
  }
  if (remaining !== 1)
    throw new RangeError(`A transform's size must be made of 2, 3, 4 and 5, not ${size}`);
  return found;
}

type Pass = (
  xr: Float64Array,
  xi: Float64Array,
  yr: Float64Array,
  yi: Float64Array,
  stride: number,
  groups: number,
  cos: Float64Array,
  sin: Float64Array,
) => void;

// One pass takes `radix` points at a distance of stride·groups, transforms them, multiplies output j of group p by
// e^(−2πi·jp·stride/size) and writes the outputs next to each other. The `!` are for typed arrays read within bounds.

const pass2: Pass = (xr, xi, yr, yi, stride, groups, cos, sin) => {
  const step = stride * groups;
  for (let p = 0; p < groups; p++) {
    const c1 = cos[p * stride]!,
      s1 = sin[p * stride]!;
    const end = stride * (p + 1);
    for (let a = stride * p, o = 2 * stride * p; a < end; a++, o++) {
      const b = a + step;
      const r1 = xr[a]! - xr[b]!,
        i1 = xi[a]! - xi[b]!;
      yr[o] = xr[a]! + xr[b]!;
      yi[o] = xi[a]! + xi[b]!;
      yr[o + stride] = r1 * c1 - i1 * s1;
      yi[o + stride] = r1 * s1 + i1 * c1;
    }
  }
};

const pass3: Pass = (xr, xi, yr, yi, stride, groups, cos, sin) => {
  const step = stride * groups;
  for (let p = 0; p < groups; p++) {
    const c1 = cos[p * stride]!,
      s1 = sin[p * stride]!;
    const c2 = cos[2 * p * stride]!,
      s2 = sin[2 * p * stride]!;
    const end = stride * (p + 1);
    for (let a = stride * p, o = 3 * stride * p; a < end; a++, o++) {
      const b = a + step,
        c = b + step;
      const tr = xr[b]! + xr[c]!,
        ti = xi[b]! + xi[c]!;
      const ur = (xr[b]! - xr[c]!) * sin3,
        ui = (xi[b]! - xi[c]!) * sin3;
      const mr = xr[a]! - 0.5 * tr,
        mi = xi[a]! - 0.5 * ti;
      const r1 = mr + ui,
        i1 = mi - ur,
        r2 = mr - ui,
        i2 = mi + ur;
      yr[o] = xr[a]! + tr;
      yi[o] = xi[a]! + ti;
      yr[o + stride] = r1 * c1 - i1 * s1;
      yi[o + stride] = r1 * s1 + i1 * c1;
      yr[o + 2 * stride] = r2 * c2 - i2 * s2;
      yi[o + 2 * stride] = r2 * s2 + i2 * c2;
    }
  }
};

const pass4: Pass = (xr, xi, yr, yi, stride, groups, cos, sin) => {
  const step = stride * groups;
  for (let p = 0; p < groups; p++) {
    const c1 = cos[p * stride]!,
      s1 = sin[p * stride]!;
    const c2 = cos[2 * p * stride]!,
      s2 = sin[2 * p * stride]!;
    const c3 = cos[3 * p * stride]!,
      s3 = sin[3 * p * stride]!;
    const end = stride * (p + 1);
    for (let a = stride * p, o = 4 * stride * p; a < end; a++, o++) {
      const b = a + step,
        c = b + step,
        d = c + step;
      const sumR = xr[a]! + xr[c]!,
        sumI = xi[a]! + xi[c]!;
      const difR = xr[a]! - xr[c]!,
        difI = xi[a]! - xi[c]!;
      const oddR = xr[b]! + xr[d]!,
        oddI = xi[b]! + xi[d]!;
      const turnR = xi[b]! - xi[d]!,
        turnI = xr[d]! - xr[b]!;
      const r1 = difR + turnR,
        i1 = difI + turnI,
        r2 = sumR - oddR,
        i2 = sumI - oddI;
      const r3 = difR - turnR,
        i3 = difI - turnI;
      yr[o] = sumR + oddR;
      yi[o] = sumI + oddI;
      yr[o + stride] = r1 * c1 - i1 * s1;
      yi[o + stride] = r1 * s1 + i1 * c1;
      yr[o + 2 * stride] = r2 * c2 - i2 * s2;
      yi[o + 2 * stride] = r2 * s2 + i2 * c2;
      yr[o + 3 * stride] = r3 * c3 - i3 * s3;
      yi[o + 3 * stride] = r3 * s3 + i3 * c3;
    }
  }
};

const pass5: Pass = (xr, xi, yr, yi, stride, groups, cos, sin) => {
  const step = stride * groups;
  for (let p = 0; p < groups; p++) {
    const c1 = cos[p * stride]!,
      s1 = sin[p * stride]!;
    const c2 = cos[2 * p * stride]!,
      s2 = sin[2 * p * stride]!;
    const c3 = cos[3 * p * stride]!,
      s3 = sin[3 * p * stride]!;
    const c4 = cos[4 * p * stride]!,
      s4 = sin[4 * p * stride]!;
    const end = stride * (p + 1);
    for (let a = stride * p, o = 5 * stride * p; a < end; a++, o++) {
      const b = a + step,
        c = b + step,
        d = c + step,
        e = d + step;
      const ar = xr[a]!,
        ai = xi[a]!;
      const outR = xr[b]! + xr[e]!,
        outI = xi[b]! + xi[e]!;
      const inR = xr[c]! + xr[d]!,
        inI = xi[c]! + xi[d]!;
      const outDr = xr[b]! - xr[e]!,
        outDi = xi[b]! - xi[e]!;
      const inDr = xr[c]! - xr[d]!,
        inDi = xi[c]! - xi[d]!;
      const m1r = ar + cos5a * outR + cos5b * inR,
        m1i = ai + cos5a * outI + cos5b * inI;
      const m2r = ar + cos5b * outR + cos5a * inR,
        m2i = ai + cos5b * outI + cos5a * inI;
      const n1r = sin5a * outDi + sin5b * inDi,
        n1i = -(sin5a * outDr + sin5b * inDr);
      const n2r = sin5b * outDi - sin5a * inDi,
        n2i = -(sin5b * outDr - sin5a * inDr);
      const r1 = m1r + n1r,
        i1 = m1i + n1i,
        r4 = m1r - n1r,
        i4 = m1i - n1i;
      const r2 = m2r + n2r,
        i2 = m2i + n2i,
        r3 = m2r - n2r,
        i3 = m2i - n2i;
      yr[o] = ar + outR + inR;
      yi[o] = ai + outI + inI;
      yr[o + stride] = r1 * c1 - i1 * s1;
      yi[o + stride] = r1 * s1 + i1 * c1;
      yr[o + 2 * stride] = r2 * c2 - i2 * s2;
      yi[o + 2 * stride] = r2 * s2 + i2 * c2;
      yr[o + 3 * stride] = r3 * c3 - i3 * s3;
      yi[o + 3 * stride] = r3 * s3 + i3 * c3;
      yr[o + 4 * stride] = r4 * c4 - i4 * s4;
      yi[o + 4 * stride] = r4 * s4 + i4 * c4;
    }
  }
};
