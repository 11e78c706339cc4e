import {openWorkspace} from './bench/support/workspace.ts';
import {startPictureServer} from './bench/support/picture-server.ts';
import {measureScript,interleave,medianCost} from './bench/support/measure.ts';
const w=await openWorkspace('/work/shared/data/photos');
const s=await startPictureServer(w.photos);
const n=Number(process.argv[2]??60), runs=Number(process.argv[3]??3);
const files=await w.files(n);
const c=await interleave(runs,{
 line:()=>measureScript(new URL('./bench/runners/line.ts',import.meta.url),{baseUrl:s.baseUrl,count:n,cacheDir:w.fresh('line')}),
 bare:()=>measureScript(new URL('./bench/runners/bare-loop.ts',import.meta.url),{folder:files,output:w.fresh('bare')}),
});
console.log(c.line[0].output);
const a=medianCost(c.line),b=medianCost(c.bare);console.log(a,b,'cpu',a.cpu/b.cpu,'wall',a.wall/b.wall);
s.close();await w.remove();
