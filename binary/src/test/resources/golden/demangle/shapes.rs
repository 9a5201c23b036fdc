// Names of rust.tsv: rustc -C symbol-mangling-version=v0 --edition 2021 shapes.rs; nm shapes | grep _R | c++filt
#![allow(dead_code, unused, non_snake_case, uncommon_codepoints)]
use std::collections::HashMap;
use std::fmt::{Debug, Display};
use std::hint::black_box;

pub trait Shape { type Unit; fn area(&self) -> u64; fn name(&self) -> String { inner::<Self>() } }
#[inline(never)] fn inner<T: ?Sized>() -> String { std::any::type_name::<T>().to_string() }
pub struct Sq<const N: usize>; 
impl<const N: usize> Shape for Sq<N> { type Unit = u8; #[inline(never)] fn area(&self) -> u64 { black_box(N as u64) } }
pub struct Ch<const C: char, const B: bool, const I: i32, const W: u128>;
impl<const C: char, const B: bool, const I: i32, const W: u128> Ch<C, B, I, W> { #[inline(never)] pub fn go(&self) -> u32 { black_box(C as u32 + B as u32 + I as u32 + W as u32) } }
#[inline(never)] fn generic<T>(t: &T) -> usize { black_box(std::mem::size_of::<T>()) }
#[inline(never)] fn unsized_<T: ?Sized>(t: &T) -> usize { black_box(std::mem::size_of_val(t)) }
mod gödel { pub mod δ { #[inline(never)] pub fn escher() -> i32 { std::hint::black_box(1) } #[inline(never)] pub fn 東京<T>(x: T) -> T { std::hint::black_box(x) } } }
#[inline(never)] fn apply<F: Fn(i32) -> i32>(f: F) -> i32 { black_box(f(3)) }
extern "C" fn cfun(a: i32) -> i32 { a }
unsafe fn uns(a: *const u8, b: *mut str) {}
struct Local<'a, T: 'a>(&'a T);
impl<'a, T: Debug> Local<'a, T> { #[inline(never)] fn show(&self) -> String { 
   fn nested_in_method<U: Debug>(u: &U) -> String { format!("{:?}", u) }
   nested_in_method(self.0) } }
macro_rules! mk { ($n:ident) => { #[inline(never)] fn $n() -> i32 { black_box(7) } } }
mk!(made);
static TABLE: &[fn() -> i32] = &[made];
fn main() {
  let k = black_box(2);
  println!("{}", Sq::<3>.area() + Sq::<4000000>.name().len() as u64);
  println!("{}", Ch::<'x', true, -5, 340282366920938463463374607431768211455>.go() + Ch::<'\n', false, 0, 0>.go() + Ch::<'é', false, -2147483648, 1>.go() + Ch::<'\'', false, 7, 18446744073709551616>.go());
  generic(&(1u8,)); generic(&()); generic(&(1i8, 2i16, 3i64, 4f32, 5f64)); generic(&[0u8; 17]); generic(&[[1isize; 2]; 3]);
  generic(&(cfun as extern "C" fn(i32) -> i32)); generic(&(uns as unsafe fn(*const u8, *mut str)));
  generic(&(made as fn() -> i32)); generic::<Option<fn(&u8) -> &u8>>(&None); generic::<Option<for<'a, 'b> fn(&'a u8, &'b mut u16, &'a str) -> &'b char>>(&None);
  generic::<Option<fn() -> !>>(&None); generic::<Option<extern "system" fn()>>(&None); generic::<Option<unsafe extern "C-unwind" fn(...)>>(&None);
  unsized_::<dyn Shape<Unit = u8>>(&Sq::<1>); unsized_::<dyn Fn(&u8, i32) -> bool>(&|_: &u8, _| true); unsized_::<dyn Debug + Send + Sync>(&1); unsized_::<[u16]>(&[1, 2][..]); unsized_::<str>("x");
  unsized_::<dyn for<'a> Fn(&'a dyn Debug) -> Box<dyn Iterator<Item = &'a (u8, char)> + 'a>>(&|_| Box::new(std::iter::empty()));
  println!("{} {}", gödel::δ::escher(), gödel::δ::東京("x"));
  println!("{}", apply(|x| x + k) + apply(move |y| { let f = |z: i32| z * k; apply(f) + y }));
  println!("{}", Local(&vec![1u8]).show());
  let mut m: HashMap<String, Vec<Option<Box<dyn Display + Send>>>> = HashMap::new();
  m.entry("a".into()).or_default().push(Some(Box::new(5)));
  println!("{}", m.len());
  println!("{}", TABLE[0]());
  let mut v = vec![3, 1, 2]; v.sort_by_key(|x| std::cmp::Reverse(*x)); println!("{:?}", v);
  let t = std::thread::spawn(move || { black_box(v.iter().map(|x| x * 2).filter(|x| x % 3 == 0).collect::<Vec<_>>()) });
  println!("{:?}", t.join().unwrap());
  thread_local! { static X: std::cell::RefCell<u8> = std::cell::RefCell::new(1); } X.with(|x| *x.borrow_mut() += 1);
}
