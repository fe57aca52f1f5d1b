// The tables that travel in the page: JSON, in which arrays are deflated and written in base64.

const TYPES = {
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
};

/** An array as packing.py has packed it; its bytes are transposed back. */
async function unpackArray({ dtype, data }) {
  const compressed = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  const stream = new Blob([compressed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const size = TYPES[dtype].BYTES_PER_ELEMENT;
  const length = planes.length / size;
  const bytes = new Uint8Array(planes.length);
  for (let byte = 0, from = 0; byte < size; byte++) {
    for (let place = 0; place < length; place++) bytes[place * size + byte] = planes[from++];
  }
  return new TYPES[dtype](bytes.buffer);
}

/** The same object with every packed array in it unpacked. */
async function unpack(value) {
  if (Array.isArray(value)) return Promise.all(value.map(unpack));
  if (value === null || typeof value !== "object") return value;
  if (typeof value.dtype === "string") return unpackArray(value);
  const entries = await Promise.all(Object.entries(value).map(async ([key, one]) => [key, await unpack(one)]));
  return Object.fromEntries(entries);
}
