import {openWorkspace} from './bench/support/workspace.ts';
import {measureScript,measure,interleave,medianCost} from './bench/support/measure.ts';
const w=await openWorkspace('/work/shared/data/photos');
const n=Number(process.argv[2]??60), runs=Number(process.argv[3]??3);
const files=await w.files(n);
const sc=(f:string,env:string[]=[])=>()=>measure(['env',...env,process.execPath,f,JSON.stringify({folder:files,output:w.fresh('o')})]);
const c=await interleave(runs,{
 bare:sc('bench/runners/bare-loop.ts'),
 bareArena:sc('bench/runners/bare-loop.ts',['MALLOC_ARENA_MAX=2']),
 enc:sc('bench/runners/enc.tmp.ts'),
});
for(const k in c) console.log(k, medianCost((c as any)[k]));
await w.remove();
