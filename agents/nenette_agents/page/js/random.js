// Where dice come from: the browser's generator, or one with a seed, so that a game can be repeated.

/** A function that gives 32 random bits. */
function randomBits(seed) {
  if (seed === null) {
    const buffer = new Uint32Array(64);
    let used = buffer.length;
    return () => {
      if (used === buffer.length) {
        crypto.getRandomValues(buffer);
        used = 0;
      }
      return buffer[used++];
    };
  }
  // Chris Doty-Humphrey's sfc32, its state filled by the seed and run in.
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, seed >>> 0, 1];
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let k = 0; k < 20; k++) next();
  return next;
}

class Random {
  constructor(seed = null) {
    this.bits = randomBits(seed);
  }

  /** An integer below `n`, each equally often: bits that would favour some are thrown away. */
  below(n) {
    const limit = 2 ** 32 - (2 ** 32 % n);
    let bits = this.bits();
    while (bits >= limit) bits = this.bits();
    return bits % n;
  }

  /** Faces of `count` dice. */
  dice(count) {
    return Array.from({ length: count }, () => 1 + this.below(6));
  }

  /** A place in a list of probabilities, which need not quite add up to 1. */
  draw(probabilities) {
    let left = (this.bits() / 2 ** 32) * probabilities.reduce((sum, one) => sum + one, 0);
    for (let place = 0; place < probabilities.length; place++) {
      left -= probabilities[place];
      if (left < 0) return place;
    }
    return probabilities.findLastIndex((one) => one > 0);
  }
}
