// Counts words, slowly enough to be sampled.
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function words(count) { const all = []; for (let i = 0; i < count; i++) all.push('w' + (i * 7919 % 997)); return all; }
function count(all) { const counts = new Map(); for (const word of all) counts.set(word, (counts.get(word) || 0) + 1); return counts; }
function main() { let sum = 0; for (let i = 0; i < 12; i++) { sum += count(words(20000)).size + fib(20); } return sum; }
console.log(main());
