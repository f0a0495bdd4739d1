#!/usr/bin/env python3
"""Kokoro-82M v1.0, dynamic 8-bit ONNX -> the same 8-bit weights, float arithmetic: graph.onnx.

usage: make-graph.py IN.onnx OUT.onnx WEIGHTS.onnx    (needs onnx and numpy; the same input gives the same bytes)

OUT has no weights of more than a kilobyte: it refers to their bytes in WEIGHTS, a file beside it (ONNX external data).

The weights stay in the file as they were (uint8/int8, scale, zero point); a DequantizeLinear stands before each user.
Normalization with style becomes one node each, the Snake activation is folded into it and the next weight, convolutions
of 7 and 11 taps become Toom-Cook, transposed convolutions plain ones.
"""
import os, sys, collections
import numpy as np, onnx
from onnx import helper as oh, numpy_helper as nh

src, dst, weights_file = sys.argv[1:]
M = onnx.load(src); G = M.graph
W = {t.name: t for t in G.initializer}
arr = lambda n: nh.to_array(W[n])

def index():
    global made, used
    made = {o: n for n in G.node for o in n.output if o}
    used = collections.defaultdict(list)
    for n in G.node:
        for i in n.input:
            if i: used[i].append(n)
index()
attr = lambda n, k, d=None: next((oh.get_attribute_value(a) for a in n.attribute if a.name == k), d)

front, new_init, dropped, put = [], {}, set(), {}     # nodes first in the graph; constants; node ids out; node id -> nodes in its place
def const(name, a):
    if name not in W and name not in new_init: new_init[name] = nh.from_array(np.ascontiguousarray(a), name)
    return name
ready = {}
def weight(q, s, z, axis, name):
    """float view of the quantized tensor q; `axis` is the one that scale and zero point run along where they are vectors"""
    key = (q, s, z)
    if key in ready: return ready[key]
    k = oh.make_node('DequantizeLinear', [q, s] + ([z] if z else []), [name], name=name)
    if arr(s).ndim: k.attribute.append(oh.make_attribute('axis', axis))
    front.append(k); ready[key] = name
    return name
def only(name):
    u = used[name]; assert len(u) == 1, (name, len(u)); return u[0]
def other(n, x): return n.input[1] if n.input[0] == x else n.input[0]
def wscale(n):            # Mul(activation scale, weight scale) -> name of the weight scale
    return next(i for i in n.input if i in W)

cnt = collections.Counter()
for n in list(G.node):
    if n.op_type == 'ConvInteger':
        x = made[n.input[0]].input[0]; c = only(n.output[0]); gone = [n]; bias = None
        if c.op_type == 'Add':                            # int32 bias: take the float one it was made of
            r = other(c, n.output[0])
            while made[r].op_type != 'Div': r = made[r].input[0]
            bias = made[r].input[0]; assert bias in W
            gone.append(c); c = only(c.output[0])
        assert c.op_type == 'Cast'; m = only(c.output[0]); assert m.op_type == 'Mul'
        s = wscale(made[other(m, c.output[0])]); q = n.input[1]
        w = weight(q, s, n.input[3] if len(n.input) > 3 else None, 0, q.replace('_quantized', '') + '/f32')
        put[id(m)] = [oh.make_node('Conv', [x, w] + ([bias] if bias else []), [m.output[0]], name=n.name.replace('_quant', ''))]
        put[id(m)][0].attribute.extend(n.attribute)
        dropped |= {id(g) for g in gone + [c]}; cnt['conv'] += 1
    elif n.op_type == 'MatMulInteger':
        x = made[n.input[0]].input[0]; c = only(n.output[0]); m = only(c.output[0]); assert (c.op_type, m.op_type) == ('Cast', 'Mul')
        s = wscale(made[other(m, c.output[0])]); q = n.input[1]
        w = weight(q, s, n.input[3] if len(n.input) > 3 else None, 1, q.replace('_quantized', '') + '/f32')
        put[id(m)] = [oh.make_node('MatMul', [x, w], [m.output[0]], name=n.name.replace('_quant', ''))]
        dropped |= {id(n), id(c)}; cnt['matmul'] += 1
    elif n.op_type == 'DynamicQuantizeLSTM':
        i = list(n.input); f = []
        for q, s, z in ((i[1], i[8], i[9]), (i[2], i[10], i[11])):
            w = weight(q, s, z, 0, q.replace('_quantized', '') + '/f32k')     # [dir, in, 4h] here, LSTM wants [dir, 4h, in]
            front.append(oh.make_node('Transpose', [w], [w[:-1]], name=w[:-1] + '/t', perm=[0, 2, 1])); f.append(w[:-1])
        put[id(n)] = [oh.make_node('LSTM', [i[0], *f, *i[3:8]], list(n.output), name=n.name.replace('_quant', ''))]
        put[id(n)][0].attribute.extend(n.attribute); cnt['lstm'] += 1

def rebuild():
    nodes = list(front)
    for n in G.node:
        nodes += put.get(id(n), [] if id(n) in dropped else [n])
    outs = {o.name for o in G.output}
    while True:
        need = {i for n in nodes for i in n.input} | outs
        keep = [n for n in nodes if any(o in need for o in n.output)]
        if len(keep) == len(nodes): break
        nodes = keep
    init = [t for t in list(G.initializer) + list(new_init.values()) if t.name in need]
    del G.node[:], G.initializer[:]
    G.node.extend(nodes); G.initializer.extend(init)
    W.clear(); W.update({t.name: t for t in G.initializer})
    front.clear(); new_init.clear(); dropped.clear(); put.clear(); index()
rebuild()

# float tensors that are large (transposed convolutions) and constant are left as they are

def squeeze_first(x, c, name):
    """[1,C,1] -> [C]"""
    if ('sq', x) not in ready:
        ready['sq', x] = name; return [oh.make_node('Reshape', [x, const('shape/flat', np.array([-1], np.int64))], [name], name=name)], name
    return [], ready['sq', x]

# (x-mean)/sqrt(var+eps) * g + b, eleven nodes and seven sweeps over the data  ->  InstanceNormalization(x, g, b)
# followed by y + sin(a*y)^2/a before a convolution  ->  z = norm(x, a*g, a*b); z + sin(z)^2; 1/a goes into the weight
for d in [n for n in G.node if n.op_type == 'Div']:
    sub, sq = made.get(d.input[0]), made.get(d.input[1])
    if not (sub and sq and sub.op_type == 'Sub' and sq.op_type == 'Sqrt'): continue
    ad = made[sq.input[0]]
    if ad.op_type != 'Add': continue
    eps = next((i for i in ad.input if i in W), None); rm = made.get(other(ad, eps)) if eps else None
    if not rm or rm.op_type != 'ReduceMean' or sub.output[0] not in made[rm.input[0]].input: continue
    x = sub.input[0]
    if made[sub.input[1]].op_type != 'ReduceMean' or made[sub.input[1]].input[0] != x: continue
    e = float(arr(eps))
    for mu in used[d.output[0]]:
        assert mu.op_type == 'Mul'; g = other(mu, d.output[0]); a = only(mu.output[0]); assert a.op_type == 'Add'; b = other(a, mu.output[0]); y = a.output[0]
        base = a.name; us = used[y]; new = []
        mul = next((u for u in us if u.op_type == 'Mul' and other(u, y) in W and arr(other(u, y)).ndim == 3), None)
        if mul is not None:
            sn = only(mul.output[0]); pw = only(sn.output[0]); m2 = only(pw.output[0]); fin = only(m2.output[0]); cv = only(fin.output[0])
            assert (sn.op_type, pw.op_type, m2.op_type, fin.op_type, cv.op_type) == ('Sin', 'Pow', 'Mul', 'Add', 'Conv') and y in fin.input and len(us) == 2
            al, rec = other(mul, y), other(m2, pw.output[0])
            assert np.allclose(arr(al) * arr(rec), 1, atol=1e-3), np.abs(arr(al) * arr(rec) - 1).max()
            new.append(oh.make_node('Mul', [g, al], [base + '/ga'], name=base + '/ga'))
            new.append(oh.make_node('Mul', [b, al], [base + '/ba'], name=base + '/ba'))
            g, b, y2 = base + '/ga', base + '/ba', base + '/z'
        else: y2 = y
        gb = []
        for v, t in ((g, 'g'), (b, 'b')):
            k, nm = squeeze_first(v, None, base + '/' + t + '1'); new += k; gb.append(nm)
        new.append(oh.make_node('InstanceNormalization', [x, *gb], [y2], name=base + '/norm', epsilon=e)); cnt['norm'] += 1
        put[id(a)] = new; dropped.add(id(mu))
        if y2 != y:
            s = base + '/sin'; q = base + '/sin2'
            put[id(fin)] = [oh.make_node('Sin', [y2], [s], name=s), oh.make_node('Mul', [s, s], [q], name=q),
                            oh.make_node('Add', [y2, q], [fin.output[0]], name=base + '/snake')]
            dropped |= {id(v) for v in (mul, sn, pw, m2)}
            w = cv.input[1]; wn = w + '/a'
            front.append(oh.make_node('Mul', [w, rec], [wn], name=wn)); cv.input[1] = wn; cnt['snake'] += 1
# the scaled weights need their source first: keep `front` after the dequantizing nodes already in the graph
tail = list(front); front.clear()
k = max(i for i, n in enumerate(G.node) if n.name.endswith('/f32')) + 1
put[id(G.node[k - 1])] = [G.node[k - 1]] + tail
rebuild()

def toom(m, r):
    """Toom-Cook filtering F(m, r): y = A((E w) * (B x)), m outputs and r taps with n = m+r-1 products."""
    from fractions import Fraction as F
    n = m + r - 1
    pts = [F(p) for p in '0 1 -1 1/2 -1/2 2 -2 3/2 -3/2 2/3 -2/3 3 -3 1/3 -1/3 4/3 -4/3'.split()][:n - 1]; assert len(pts) == n - 1
    def poly(roots):
        c = [F(1)]
        for p in roots: c = [(c[k - 1] if k else 0) - (p * c[k] if k < len(c) else 0) for k in range(len(c) + 1)]
        return c
    A = [[p ** i for p in pts] + [F(int(i == m - 1))] for i in range(m)]
    E, B = [], []
    for i, p in enumerate(pts):
        f = F(1)
        for j, q in enumerate(pts):
            if i != j: f *= p - q
        E.append([p ** k / f for k in range(r)])
        c = poly(q for j, q in enumerate(pts) if j != i); B.append(c + [F(0)] * (n - len(c)))
    E.append([F(int(k == r - 1)) for k in range(r)]); B.append(poly(pts))
    A, E, B = (np.array([[float(v) for v in row] for row in X]) for X in (A, E, B))
    s = 2.0 ** np.round(np.log2(np.abs(B).max(1)))[:, None]                 # even out the size of the rows
    return A, E * s, B / s

# Long 1-D convolutions of the vocoder: m=8 outputs from m+k-1 products instead of m*k.
# A tile is 8 samples d apart (d = dilation); the tiles' products are one grouped 1x1 convolution.
# Where the data are longest, parts of them are computed one after the other, with the Snake before them: on the whole, the
# products alone take more memory than anything else. A part reads a few tiles of the next one; Snake leaves the padding 0.
m = 8; parts = {128: 4}; rec = {}
def row(*v): return np.array(v, np.int64)
for c in [n for n in G.node if n.op_type == 'Conv' and 'generator' in n.name and '/convs' in n.name]:
    k = attr(c, 'kernel_shape')[0]; d = attr(c, 'dilations')[0]; p = d * (k - 1) // 2; toomed = k in (7, 11)
    x, w, bias = c.input; O = W[bias].dims[0]; C = O; S = parts.get(C, 1); N = c.name + '/'; new = []
    if S == 1 and not toomed: continue
    if S > 1: assert made[x].name.endswith('/snake'); x = made[x].input[0]
    assert list(attr(c, 'pads')) == [p, p] and attr(c, 'group', 1) == 1
    n = m + k - 1; q = -(-n // m); tile, beyond = (m * d, (q - 1) * m * d) if toomed else (1, 2 * p)
    def op(t, i, o, **a): new.append(oh.make_node(t, i, [o], name=o, **a)); return o
    key = (C, k, d)
    if key not in rec:                                     # padding on the right and bounds of the parts, from the length
        P = f'/wino/{C}_{k}_{d}/'
        L = rec.get(C)
        if not L: rec[C] = L = op('Shape', [x], f'/wino/{C}/length', start=2, end=3)
        t = op('Add', [L, const(P + 'c1', row(S * tile - 1))], P + 'a')
        t = op('Div', [t, const(P + 'c2', row(S * tile))], P + 'tiles')
        size = op('Mul', [t, const(P + 'c3', row(tile))], P + 'size')
        t = op('Mul', [t, const(P + 'c2', row(S * tile))], P + 'total')
        t = op('Sub', [t, L], P + 'rest'); t = op('Add', [t, const(P + 'c4', row(beyond - p))], P + 'right')
        pads = op('Concat', [const(P + 'c5', row(0, 0, p, 0, 0)), t], P + 'pads', axis=0); bounds = []
        for i in range(S if S > 1 else 0):
            start = op('Mul', [size, const(f'/wino/part{i}', row(i))], P + f'start{i}')
            t = op('Add', [start, size], P + f'stop{i}')
            bounds.append((start, op('Add', [t, const(P + 'c6', row(beyond))], P + f'end{i}')))
        rec[key] = pads, size, bounds
    pads, size, bounds = rec[key]
    if toomed:
        A, E, B = toom(m, k); Bk = np.zeros((n, m, q), np.float32)
        for e in range(n): Bk[:, e % m, e // m] = B[:, e]
        # weight [O,C,k] -> [n*O,C,1]; all constant, folded at load
        E1 = const(f'/wino/E{k}', E.T.astype(np.float32))
        front.append(oh.make_node('MatMul', [w, E1], [w + '/e'], name=w + '/e'))
        front.append(oh.make_node('Transpose', [w + '/e'], [w + '/t'], name=w + '/t', perm=[2, 0, 1]))
        front.append(oh.make_node('Reshape', [w + '/t', const(f'/wino/sw{n*O}_{C}', row(n * O, C, 1))], [w + '/u'], name=w + '/u'))
        front.append(oh.make_node('Pad', [bias, const(f'/wino/bp{n}_{O}', row(O, (n - 2) * O))], [bias + '/u'], name=bias + '/u'))
    def convolve(y, N):
        """y, padded -> its convolution, and `beyond` samples more"""
        if not toomed: return op('Conv', [y, w, bias], N + 'conv', dilations=[d], kernel_shape=[k])
        y = op('Reshape', [y, const(f'/wino/s1_{C}_{d}', row(C, -1, m, d))], N + 'r1')
        y = op('Transpose', [y], N + 't1', perm=[2, 0, 1, 3])
        y = op('Reshape', [y, const(f'/wino/s2', row(1, m, -1))], N + 'r2')
        y = op('Conv', [y, const(f'/wino/B{k}', Bk)], N + 'in', dilations=[d], pads=[0, (q - 1) * d], kernel_shape=[q])
        y = op('Reshape', [y, const(f'/wino/s3_{n*C}', row(1, n * C, -1))], N + 'r3')
        y = op('Conv', [y, w + '/u', bias + '/u'], N + 'mul', group=n, kernel_shape=[1])
        y = op('Reshape', [y, const(f'/wino/s4_{n}', row(1, n, -1))], N + 'r4')
        y = op('Conv', [y, const(f'/wino/A{k}', A.astype(np.float32)[:, :, None])], N + 'out', kernel_shape=[1])
        y = op('Reshape', [y, const(f'/wino/s5_{O}_{d}', row(m, O, -1, d))], N + 'r5')
        y = op('Transpose', [y], N + 't2', perm=[1, 2, 0, 3])
        return op('Reshape', [y, const(f'/wino/s6_{O}', row(1, O, -1))], N + 'r6')
    if S > 1:
        z = op('Pad', [x, pads], N + 'pad'); done = []
        for i, (start, end) in enumerate(bounds):
            Ni = f'{N}part{i}/'
            y = op('Slice', [z, start, end, const('/wino/two', row(2))], Ni + 'z')
            t = op('Sin', [y], Ni + 'sin'); t = op('Mul', [t, t], Ni + 'sin2'); y = convolve(op('Add', [y, t], Ni + 'snake'), Ni)
            done.append(op('Slice', [y, const('/wino/zero', row(0)), size, const('/wino/two', row(2))], Ni + 'done') if toomed else y)
        y = op('Concat', done, N + 'joined', axis=2)
    else: y = convolve(op('Pad', [x, pads], N + 'pad'), N)
    op('Slice', [y, const('/wino/zero', row(0)), rec[C], const('/wino/two', row(2))], c.output[0])
    put[id(c)] = new; cnt['wino' if toomed else 'parts'] += 1
tail = list(front); front.clear()
j = max(i for i, n in enumerate(G.node) if n.name.endswith(('/f32', '/f32/a'))) + 1
put[id(G.node[j - 1])] = put.get(id(G.node[j - 1]), [G.node[j - 1]]) + tail
rebuild()

# transposed convolution with kernel = 2*stride: a convolution of two taps giving `stride` samples at once
for c in [n for n in G.node if n.op_type == 'ConvTranspose' and '/generator/ups.' in n.name]:
    x, w, bias = c.input; w = arr(w); Ci, O, k = w.shape; s = attr(c, 'strides')[0]; p = attr(c, 'pads')[0]; assert k == 2 * s and attr(c, 'group') == 1
    N = c.name + '/'
    w2 = np.stack([w[:, :, s:], w[:, :, :s]], -1).transpose(2, 1, 0, 3).reshape(s * O, Ci, 2)      # [phase, out], in, (previous, this)
    new = []
    def op(t, i, o, **a): new.append(oh.make_node(t, i, [o], name=o, **a)); return o
    y = op('Conv', [x, const(N + 'w', w2), const(N + 'b', np.tile(arr(bias), s))], N + 'conv', pads=[1, 1], kernel_shape=[2])
    y = op('Reshape', [y, const(N + 's1', np.array([s, O, -1], np.int64))], N + 'r1')
    y = op('Transpose', [y], N + 't', perm=[1, 2, 0])
    y = op('Reshape', [y, const(N + 's2', np.array([1, O, -1], np.int64))], N + 'r2')
    op('Slice', [y, const(N + 'from', np.array([p], np.int64)), const(N + 'to', np.array([-p], np.int64)), const(N + 'ax', np.array([2], np.int64))], c.output[0])
    put[id(c)] = new; cnt['ups'] += 1
rebuild()

# onnxruntime would compute most float weights before anything else, one for each use, and keep each until it is used: 200 MB,
# since the layers of ALBERT share theirs. So each use has its own, which waits for the data it is used with, by a factor of 1
# made of the size of that.
weights = set(W)                                       # and what is computed from nothing else
for n in G.node:
    if all(i in weights for i in n.input if i): weights |= set(n.output)
places = {o: k for k, n in enumerate(G.node) for o in n.output}
def data_beside(n):
    """what a weight is used with in n, or after it; None where that is an input of the graph"""
    data = [i for i in n.input if i and i not in weights] or [data_beside(u) for o in n.output for u in used[o]]
    return min((x for x in data if x in places), key=places.get, default=None)
const('later/1', np.array(1, np.float32)); late = {}
for n in [n for n in G.node if n.op_type == 'DequantizeLinear' and n.output[0] in weights]:
    put[id(n)] = []
    for k, u in enumerate(used[n.output[0]]):
        x = data_beside(u); name = f'{n.output[0]}/{k}'; scale = n.input[1]
        if x and x not in late:
            f = late[x] = x + '/one'
            put[id(G.node[places[x]])] = put.get(id(G.node[places[x]]), [G.node[places[x]]]) + [
                oh.make_node('Size', [x], [f + '/n'], name=f + '/n'), oh.make_node('Cast', [f + '/n'], [f + '/f'], name=f + '/f', to=1),
                oh.make_node('Min', [f + '/f', 'later/1'], [f], name=f)]
        if x:
            scale = name + '/scale'; cnt['late'] += 1
            put[id(n)].append(oh.make_node('Mul', [n.input[1], late[x]], [scale], name=scale))
        d = oh.make_node('DequantizeLinear', [n.input[0], scale, *n.input[2:]], [name], name=name)
        d.attribute.extend(n.attribute); put[id(n)].append(d)
        for i, v in enumerate(u.input):
            if v == n.output[0]: u.input[i] = name
rebuild()

# what was computed from weights alone stood first; now it follows what it waits for
done, rest, order = set(W) | {i.name for i in G.input} | {''}, list(G.node), []
while rest:
    ready_now = [n for n in rest if all(i in done for i in n.input)]
    assert ready_now
    for n in ready_now: done |= set(n.output)
    order += ready_now; ids = {id(n) for n in ready_now}; rest = [n for n in rest if id(n) not in ids]
del G.node[:]; G.node.extend(order)

del G.value_info[:]
ops = {n.domain for n in G.node}
keep = [o for o in M.opset_import if o.domain in ops or o.domain == '']
del M.opset_import[:]; M.opset_import.extend(keep)
M.producer_name = ''; 
stored = open(weights_file, 'rb').read()
for t in G.initializer:
    if len(t.raw_data) < 1024: continue
    at, size = stored.index(t.raw_data), len(t.raw_data)
    t.ClearField('raw_data'); t.data_location = onnx.TensorProto.EXTERNAL
    for k, v in ('location', os.path.basename(weights_file)), ('offset', str(at)), ('length', str(size)):
        t.external_data.add(key=k, value=v)
open(dst, 'wb').write(M.SerializeToString(deterministic=True))
print(dict(cnt), 'nodes', len(G.node), 'bytes', len(M.SerializeToString()))
