import { crc32 } from "node:zlib";
import { optionalPackage } from "../optional-package.js";

/** No picture can be drawn on this machine; the message says what is missing. */
export class PngError extends Error {
  override readonly name = "PngError";
}

/** Pixels per unit of the SVG, and the most pixels in a picture: 128 MB of memory. */
const scale = 2;
const mostPixels = 32_000_000;

const packageName = "@resvg/resvg-js";

/**
 * Draws an SVG document as a PNG at twice its size, with the machine's fonts.
 * @param svg without external references
 * @param withFonts whether to look for fonts
 * @returns the file, marked as made by graphloom
 * @throws PackageMissingError; PngError without a font
 */
export async function drawPng(svg: string, withFonts = true): Promise<Uint8Array> {
  const { Resvg } = await load();
  const font = { loadSystemFonts: withFonts, monospaceFamily: "DejaVu Sans Mono" };
  const probe = `<svg xmlns="http://www.w3.org/2000/svg"><text y="20" font-family="monospace">x</text></svg>`;
  // Texts are silently left out without a font.
  if (new Resvg(probe, { font }).getBBox() === undefined)
    throw new PngError(
      "A map as PNG requires a font, and this machine has none. Install one, for example with: apt-get install fonts-dejavu-core",
    );
  const { width, height } = new Resvg(svg, { font: { loadSystemFonts: false } });
  const picture = new Resvg(svg, { font, fitTo: { mode: "zoom", value: zoomOf(width, height) } }).render();
  return withSoftware(picture.asPng());
}

/** Pixels per unit of an SVG of this size. */
export function zoomOf(width: number, height: number): number {
  return Math.min(scale, Math.sqrt(mostPixels / (width * height)));
}

async function load(): Promise<typeof import("@resvg/resvg-js")> {
  try {
    return await optionalPackage("A map as PNG", packageName, () => import("@resvg/resvg-js"));
  } catch (error) {
    // The package has a separate binary for each platform.
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND")
      throw new PngError(
        `The package ${packageName} has no binary for this machine. Install it again here with: npm install ${packageName}`,
      );
    throw error;
  }
}

/** The length of a PNG's signature and its first chunk, which contains the image size. */
const headLength = 33;

/** Whether a PNG was made by `drawPng`. */
export function isOwnPng(file: Uint8Array): boolean {
  const chunk = Buffer.from(file.subarray(headLength, headLength + softwareChunk.length));
  return file[1] === 0x50 && chunk.equals(softwareChunk);
}

function withSoftware(png: Uint8Array): Uint8Array {
  return Buffer.concat([png.subarray(0, headLength), softwareChunk, png.subarray(headLength)]);
}

/** A text chunk: its length, type, content and checksum. */
const softwareChunk = textChunk("Software\0graphloom");

function textChunk(text: string): Buffer {
  const content = Buffer.from(`tEXt${text}`, "latin1");
  const chunk = Buffer.alloc(content.length + 8);
  chunk.writeUInt32BE(content.length - 4, 0);
  content.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(content), content.length + 4);
  return chunk;
}
