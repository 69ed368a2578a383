// Short quiet sounds made by the browser: no file is loaded.

import { settings } from "./settings.js";

let context = null;

/** Browsers let sound begin only after the first press. */
export function wake() {
  if (!settings.sound || context || !("AudioContext" in window)) return;
  try {
    context = new AudioContext();
  } catch {
    context = null; // no sound device
  }
}

function ready() {
  if (!settings.sound || !context) return false;
  if (context.state === "suspended") context.resume().catch(() => {});
  return context.state === "running";
}

/** Filtered noise: paper on cloth. */
function brush(at, length, frequency, loudness) {
  const count = Math.ceil(context.sampleRate * length);
  const buffer = context.createBuffer(1, count, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < count; i++) samples[i] = (Math.random() * 2 - 1) * (1 - i / count) ** 2;
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency, Q: 0.9 });
  const gain = new GainNode(context, { gain: loudness });
  source.connect(filter).connect(gain).connect(context.destination);
  source.start(context.currentTime + at);
}

function tone(at, frequency, length, loudness, type = "sine") {
  const start = context.currentTime + at;
  const oscillator = new OscillatorNode(context, { type, frequency });
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(loudness, start + 0.012);
  gain.gain.exponentialRampToValueAtTime(0.0001, start + length);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(start);
  oscillator.stop(start + length + 0.02);
}

const SOUNDS = {
  draw: () => brush(0, 0.11, 2400, 0.16),
  place: () => (brush(0, 0.06, 900, 0.3), tone(0, 150, 0.07, 0.09)),
  meld: () => [0, 0.06, 0.12].forEach((at) => brush(at, 0.06, 1100, 0.26)),
  turn: () => (tone(0, 587, 0.16, 0.07), tone(0.11, 880, 0.24, 0.07)),
  refused: () => tone(0, 196, 0.16, 0.08, "triangle"),
  won: () => [523, 659, 784, 1047].forEach((frequency, at) => tone(at * 0.11, frequency, 0.35, 0.07)),
  lost: () => [392, 330].forEach((frequency, at) => tone(at * 0.16, frequency, 0.35, 0.06)),
  tick: () => tone(0, 1200, 0.05, 0.04, "square"),
};

export function play(name) {
  if (ready()) SOUNDS[name]();
}
