//! temp
#![allow(clippy::all, clippy::pedantic, clippy::disallowed_methods, missing_docs)]
use demo::*; use flow::*; use std::time::Instant; use std::collections::BTreeMap;
fn main() { serve();
    let start = Time::from_millis(1_772_524_800_000);
    let t = Instant::now(); let web = DemoWeb::new(7, start, 60); println!("new {:?}", t.elapsed());
    for d in [0,15,30,59] { println!("alive day {d}: {}", web.alive(start+Span::from_days(d))); }
    let t = Instant::now();
    let (mut rows, mut bytes) = (0usize, 0usize);
    let mut by: BTreeMap<String,[usize;6]> = BTreeMap::new(); // alive0, changed30, changes30, alive30, rows60, max
    let mut counts = vec![]; let mut total_changes30=0; let mut sizes=vec![]; let mut births=0; let mut deaths=0;
    let d30 = start+Span::from_days(30);
    for h in web.history() {
        let host = h.address()[7..].split('/').next().unwrap().to_string();
        let b = by.entry(host).or_default();
        let (mut there, mut n) = (false, 0); let mut seen=false; let mut html=false;
        for v in h.versions() { rows+=1; bytes+=v.body.len(); b[4]+=1;
            html = html || (v.mime==Mime::Html && v.status==200);
            if v.at==start { if v.status==200 && v.mime==Mime::Html {there=true;} }
            else if v.at<=d30 { n+=1; if !html {continue}; if v.status==200 { if !there && !seen {births+=1} else {total_changes30+=1} } else {deaths+=1} }
            seen=true;
            if v.status==200 && v.mime==Mime::Html { sizes.push(v.body.len()); }
        }
        if there { b[0]+=1; counts.push(n); if n>0 {b[1]+=1} b[2]+=n; b[5]=b[5].max(n);}
        if web.page(h.address(), d30).status==200 && html { b[3]+=1; }
    }
    println!("history {:?} rows {rows} bytes {} MB", t.elapsed(), bytes>>20);
    let c=counts.len() as f64; for k in [1,2,5,10,15,30,60,120,240] { println!("share >= {k}: {:.3}", counts.iter().filter(|n|**n>=k).count() as f64/c); }
    println!("html changes/day {:.0} births/day {:.1} deaths/day {:.1}", total_changes30 as f64/30.0, births as f64/30.0, deaths as f64/30.0);
    sizes.sort(); println!("sizes min {} p5 {} median {} p95 {} max {}", sizes[0], sizes[sizes.len()/20], sizes[sizes.len()/2], sizes[sizes.len()*19/20], sizes[sizes.len()-1]);
    for (h,b) in by { println!("{h:28} alive0 {:4} changed30 {:4} changes30 {:5} (max {:4}) alive30 {:4} rows60 {:6}", b[0],b[1],b[2],b[5],b[3],b[4]); }
    let addrs: Vec<String> = web.history().map(|h| h.address().to_owned()).collect();
    let t = Instant::now(); let mut n=0; let mut worst=(0u128,String::new());
    for d in 0..30 { for a in &addrs { let q=Instant::now(); let s=web.page(a, start+Span::from_days(d)); let e=q.elapsed().as_micros(); if e>worst.0 {worst=(e,a.clone())} std::hint::black_box(s); n+=1; } }
    println!("page() {:.1} us, {:.0}/s worst {:?}", t.elapsed().as_secs_f64()*1e6/n as f64, n as f64/t.elapsed().as_secs_f64(), worst);
    let t = Instant::now(); let p=std::path::Path::new("/tmp/t3/demo.parquet"); let r=web.write_trace(p,(start, start+Span::from_days(60))).unwrap();
    println!("trace {r} rows {:?} {} KB", t.elapsed(), std::fs::metadata(p).unwrap().len()>>10);
    for s in std::fs::read_to_string("/proc/self/status").unwrap().lines().filter(|l| l.starts_with("VmHWM")) { println!("{s}"); }
    if let Some(a)=std::env::args().nth(1) { println!("{}", String::from_utf8_lossy(&web.page(&a, start+Span::from_days(9)).body)); }
}
pub fn serve() {
    use std::io::*; use std::sync::*;
    let start = Time::from_millis(1_772_524_800_000);
    let web = Arc::new(DemoWeb::new(7, start, 60));
    let s = DemoServer::start(web.clone(), Arc::new(move || Time::from_millis(1_772_524_800_000+86_400_000*9))).unwrap();
    let addrs: Vec<String> = web.history().map(|h| h.address().to_owned()).filter(|a| web.page(a, start+Span::from_days(9)).slowness.is_zero()).collect();
    let t = Instant::now(); let a = s.address(); let addrs=Arc::new(addrs);
    let hs: Vec<_> = (0..8).map(|k| { let addrs=addrs.clone(); std::thread::spawn(move || {
        let mut c = BufReader::new(std::net::TcpStream::connect(a).unwrap()); let mut n=0; let mut buf=vec![]; 
        for i in 0..5000usize { let ad=&addrs[(i*8+k)%addrs.len()][7..]; let (h,p)=ad.split_at(ad.find('/').unwrap());
            c.get_mut().write_all(format!("GET {p} HTTP/1.1\r\nHost: {h}\r\n\r\n").as_bytes()).unwrap();
            let mut len=0; loop { let mut l=String::new(); c.read_line(&mut l).unwrap(); if let Some(v)=l.strip_prefix("content-length: ") {len=v.trim().parse().unwrap()} if l=="\r\n" {break} }
            buf.resize(len,0); c.read_exact(&mut buf).unwrap(); n+=1; } n }) }).collect();
    let n: usize = hs.into_iter().map(|h| h.join().unwrap()).sum();
    println!("server {n} in {:?} = {:.0}/s", t.elapsed(), n as f64/t.elapsed().as_secs_f64());
}
