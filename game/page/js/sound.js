// Short quiet sounds made by the browser: no file is loaded. Paper on cloth, and struck wood for what is said in tones.

import { onChange, settings } from "./settings.js";

const ATTACK = 0.004; // seconds in which a sound swells: without it speakers click

let context = null;

/** Browsers let sound begin only by a press, and phones take it away for a call: every press brings it back. */
export function wake() {
  if (!settings.sound || !("AudioContext" in window)) return;
  try {
    if (!context || context.state === "closed") {
      if (navigator.audioSession) navigator.audioSession.type = "ambient"; // beside the music that somebody hears, and silent where the phone is
      context = new AudioContext();
    }
  } catch {
    context = null; // no sound device
  }
  resume();
}

function resume() {
  if (context && context.state !== "running" && context.state !== "closed") context.resume().catch(() => {});
}

onChange((values) => {
  if (!("sound" in values)) return;
  if (values.sound) wake();
  else if (context && context.state !== "closed") context.suspend().catch(() => {}); // what sounds just now is silent too
});

/** A loudness that swells and dies away within `length` seconds. */
function swell(start, length, loudness) {
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(loudness, start + ATTACK);
  gain.gain.exponentialRampToValueAtTime(0.0001, start + length);
  gain.connect(context.destination);
  return gain;
}

/** Filtered noise. Times in seconds, `frequency` in Hz, `loudness` of at most 1. */
function brush(at, length, frequency, loudness) {
  const start = context.currentTime + at;
  const count = Math.ceil(context.sampleRate * length);
  const buffer = context.createBuffer(1, count, context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < count; i++) samples[i] = Math.random() * 2 - 1;
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency, Q: 1.2 });
  source.connect(filter).connect(swell(start, length, loudness));
  source.start(start);
}

/** A struck bar of wood: a tone, and two octaves above it a quieter one that is soon gone. */
function bar(at, frequency, length, loudness) {
  const start = context.currentTime + at;
  for (const [times, share, lasts] of [
    [1, 1, 1],
    [4, 0.16, 0.3],
  ]) {
    const oscillator = new OscillatorNode(context, { type: "sine", frequency: frequency * times });
    oscillator.connect(swell(start, length * lasts, loudness * share));
    oscillator.start(start);
    oscillator.stop(start + length * lasts);
  }
}

const SOUNDS = {
  draw: () => brush(0, 0.13, 1700, 0.55),
  place: () => (brush(0, 0.09, 850, 0.7), bar(0, 140, 0.1, 0.12)),
  meld: () => [0, 0.07, 0.14].forEach((at) => brush(at, 0.08, 1000, 0.6)),
  turn: () => (bar(0, 587, 0.28, 0.12), bar(0.11, 880, 0.42, 0.12)),
  refused: () => (bar(0, 208, 0.16, 0.16), bar(0.09, 185, 0.22, 0.16)),
  won: () => [523, 659, 784, 1047].forEach((frequency, at) => bar(at * 0.11, frequency, 0.5, 0.12)),
  lost: () => [392, 330].forEach((frequency, at) => bar(at * 0.17, frequency, 0.5, 0.11)),
  tick: () => bar(0, 740, 0.06, 0.12),
};

/** What there is to hear. */
export const NAMES = Object.keys(SOUNDS);

export function play(name) {
  if (!settings.sound || !context) return;
  if (context.state === "running") SOUNDS[name]();
  else resume(); // this one is lost, the next is heard
}
