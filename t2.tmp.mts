import {openWorkspace} from './bench/support/workspace.ts';
import {startPictureServer} from './bench/support/picture-server.ts';
import {spawn} from 'node:child_process'; import {readFileSync} from 'node:fs';
const w=await openWorkspace('/work/shared/data/photos');
const s=await startPictureServer(w.photos);
const n=Number(process.argv[2]??60);
const c=spawn(process.execPath,['bench/runners/line.ts',JSON.stringify({baseUrl:s.baseUrl,count:n,cacheDir:w.fresh('line')})],{stdio:'inherit',env:{...process.env}});
let last='';
const t=setInterval(()=>{ try{
 const kids=readFileSync(`/proc/${c.pid}/task/${c.pid}/children`,'utf8').trim().split(' ').filter(Boolean);
 last=[c.pid,...kids].map(p=>{const st=readFileSync(`/proc/${p}/status`,'utf8');const g=k=>+(new RegExp(k+':\\s+(\\d+)').exec(st)?.[1]??0)/1000|0;
 const f=readFileSync(`/proc/${p}/stat`,'utf8').split(') ')[1].split(' ');
 return `rss ${g('VmRSS')} hwm ${g('VmHWM')} anon ${g('RssAnon')} file ${g('RssFile')} cpu ${(+f[11])/100}+${(+f[12])/100}`}).join(' | ');
 }catch{} },300);
const t2=setInterval(()=>console.log(last),1500);
c.on('exit',async()=>{clearInterval(t);clearInterval(t2);console.log(last);s.close();await w.remove();});
